package seriatim.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** What the user wants: docs/java-stream.md has the keys. */
public final class Settings {
    private static final Set<String> KEYS = Set.of(
            "stream", "sites", "include", "exclude", "jdk", "blocks", "arrays", "verbose");
    private static final String[] ALWAYS_OUT = {
        "java.*", "javax.*", "jdk.*", "sun.*", "com.sun.*", "seriatim.*", "org.objectweb.asm.*",
    };
    private static final String[] USUALLY_OUT = {
        "org.junit.*", "junit.*", "org.testng.*", "org.hamcrest.*", "org.mockito.*", "org.assertj.*",
        "net.bytebuddy.*", "org.opentest4j.*", "org.apiguardian.*", "org.apache.maven.*",
        "org.codehaus.plexus.*", "org.codehaus.classworlds.*", "org.eclipse.aether.*",
        "org.gradle.*", "worker.org.gradle.*", "com.intellij.*", "org.jetbrains.*", "org.eclipse.*",
        "kotlin.*", "kotlinx.*", "scala.*", "groovy.*", "org.codehaus.groovy.*",
        "org.apache.groovy.*", "org.slf4j.*", "com.google.inject.*", "org.fusesource.jansi.*",
    };

    public static String stream, sites;
    private static final List<Pattern> include = new ArrayList<>(), exclude = new ArrayList<>();
    private static final List<String> jdk = new ArrayList<>();
    private static final List<Pattern> alwaysOut = globs(ALWAYS_OUT), usuallyOut = globs(USUALLY_OUT);
    public static boolean leavesAreBlocks = true, onlyOutermost, arrays = true, verbose;
    static boolean coarseArrays;

    private static Pattern glob(String text) {
        StringBuilder pattern = new StringBuilder();
        for (String part : text.replace('/', '.').split("(?<=\\*)|(?=\\*)"))
            pattern.append(part.equals("*") ? ".*" : Pattern.quote(part));
        return Pattern.compile(pattern.toString());
    }

    private static List<Pattern> globs(String[] texts) {
        List<Pattern> list = new ArrayList<>();
        for (String text : texts)
            list.add(glob(text));
        return list;
    }

    /** Both have the same form, and may be null. */
    public static void read(String environment, String arguments) {
        String key = null;
        for (String text : new String[] {environment, arguments}) {
            if (text == null)
                continue;
            for (String piece : text.split("[,;\n]")) {
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
            case "include": addGlobs(include, value); break;
            case "exclude": addGlobs(exclude, value); break;
            case "jdk": addNames(value); break;
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

    private static void addGlobs(List<Pattern> list, String value) {
        for (String text : value.split(":"))
            if (!text.isEmpty())
                list.add(glob(text));
    }

    private static void addNames(String value) {
        for (String text : value.split(":"))
            if (!text.isEmpty())
                jdk.add(text.replace('/', '.'));
    }

    private static boolean matches(List<Pattern> list, String name) {
        for (Pattern pattern : list)
            if (pattern.matcher(name).matches())
                return true;
        return false;
    }

    /** Is the class to be watched? The name is as in class files, with slashes. */
    public static boolean isIncluded(String internalName) {
        String name = internalName.replace('/', '.');
        if (matches(alwaysOut, name) || matches(exclude, name))
            return isJdk(internalName);
        return include.isEmpty() ? !matches(usuallyOut, name) : matches(include, name);
    }

    /** Is it a class of the JDK that the user named? */
    public static boolean isJdk(String internalName) {
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
