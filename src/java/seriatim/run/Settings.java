package seriatim.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.StringTokenizer;

/** What the user wants: docs/java-stream.md has the keys. No regular expressions: they would take a good
 * part of the time in which the agent starts. */
public final class Settings {
    private static final Set<String> KEYS = Set.of(
            "stream", "sites", "include", "exclude", "jdk", "blocks", "arrays", "verbose");
    private static final List<String> ALWAYS_OUT = List.of(
            "java.*", "javax.*", "jdk.*", "sun.*", "com.sun.*", "seriatim.*", "org.objectweb.asm.*");
    private static final List<String> USUALLY_OUT = List.of(
            "org.junit.*", "junit.*", "org.testng.*", "org.hamcrest.*", "org.mockito.*", "org.assertj.*",
            "net.bytebuddy.*", "org.opentest4j.*", "org.apiguardian.*", "org.apache.maven.*",
            "org.codehaus.plexus.*", "org.codehaus.classworlds.*", "org.eclipse.aether.*",
            "org.gradle.*", "worker.org.gradle.*", "com.intellij.*", "org.jetbrains.*", "org.eclipse.*",
            "kotlin.*", "kotlinx.*", "scala.*", "groovy.*", "org.codehaus.groovy.*",
            "org.apache.groovy.*", "org.slf4j.*", "com.google.inject.*", "org.fusesource.jansi.*");

    public static String stream, sites;
    private static final List<String> include = new ArrayList<>(), exclude = new ArrayList<>();
    private static final List<String> jdk = new ArrayList<>();
    public static boolean leavesAreBlocks = true, onlyOutermost, arrays = true, verbose;
    static boolean coarseArrays;

    /** `*` matches everything, dots too. */
    private static boolean matches(String glob, String name) {
        int g = 0, n = 0, star = -1, from = 0;
        while (n < name.length()) {
            if (g < glob.length() && glob.charAt(g) == '*') {
                if (g + 1 == glob.length())
                    return true;
                star = g++;
                from = n;
            } else if (g < glob.length() && glob.charAt(g) == name.charAt(n)) {
                g++;
                n++;
            } else if (star >= 0) { // the last star takes one more
                g = star + 1;
                n = ++from;
            } else {
                return false;
            }
        }
        while (g < glob.length() && glob.charAt(g) == '*')
            g++;
        return g == glob.length();
    }

    /** Both have the same form, and may be null. */
    public static void read(String environment, String arguments) {
        String key = null;
        for (String text : new String[] {environment, arguments}) {
            if (text == null)
                continue;
            for (StringTokenizer all = new StringTokenizer(text, ",;\n"); all.hasMoreTokens(); ) {
                String piece = all.nextToken();
                int at = piece.indexOf('=');
                String before = at < 0 ? "" : piece.substring(0, at).trim();
                if (KEYS.contains(before))
                    key = before;
                else
                    at = -1;
                set(key, piece.substring(at + 1).trim());
            }
        }
    }

    private static void set(String key, String value) {
        if (key == null) {
            if (!value.isEmpty())
                complain("the option " + value + " is not known; the options are " + KEYS);
            return;
        }
        switch (key) {
            case "stream": stream = value; break;
            case "sites": sites = value; break;
            case "include": add(include, value); break;
            case "exclude": add(exclude, value); break;
            case "jdk": add(jdk, value); break;
            case "blocks":
                leavesAreBlocks = value.equals("all");
                onlyOutermost = value.equals("outermost");
                break;
            case "arrays":
                arrays = !value.equals("off");
                coarseArrays = value.equals("coarse");
                break;
            default: verbose = value.equals("1");
        }
    }

    private static void add(List<String> list, String value) {
        for (StringTokenizer all = new StringTokenizer(value, ":"); all.hasMoreTokens(); )
            list.add(all.nextToken().replace('/', '.'));
    }

    private static boolean matches(List<String> globs, String name) {
        for (int i = 0; i < globs.size(); i++)
            if (matches(globs.get(i), name))
                return true;
        return false;
    }

    /** Is the class to be watched? The name is as in class files, with slashes. */
    public static boolean isIncluded(String internalName) {
        String name = internalName.replace('/', '.');
        if (matches(ALWAYS_OUT, name) || matches(exclude, name))
            return isJdk(internalName);
        return include.isEmpty() ? !matches(USUALLY_OUT, name) : matches(include, name);
    }

    /** Is it a class of the JDK that the user named? */
    public static boolean isJdk(String internalName) {
        if (jdk.isEmpty())
            return false;
        String name = internalName.replace('/', '.');
        for (String wanted : jdk)
            if (name.equals(wanted) || name.startsWith(wanted + "$"))
                return true;
        return false;
    }

    public static List<String> jdkClasses() {
        return jdk;
    }

    public static void complain(String text) {
        System.err.println("seriatim: " + text);
    }

    /** Something that is left alone. */
    public static void mention(String text) {
        if (verbose)
            complain(text);
    }

    private Settings() {}
}
