package seriatim.junit;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A JVM under `seriatim run` in which one test runs. */
final class WatchedJvm {
    private static final int FOUND = 66;

    /** Build tools have these where the class path does not say so. */
    private static final String[] NEEDED = {
        "seriatim.junit.OneTest", "org.junit.platform.launcher.Launcher",
        "org.junit.platform.engine.TestEngine", "org.junit.platform.commons.JUnitException",
        "org.junit.jupiter.engine.JupiterTestEngine", "org.junit.jupiter.api.Test",
        "org.opentest4j.AssertionFailedError", "org.apiguardian.api.API",
    };

    private final Seriatim wish;
    private final Method method;
    private final String test;

    WatchedJvm(Seriatim wish, Method method, String test) {
        this.wish = wish;
        this.method = method;
        this.test = test;
    }

    /** What went wrong; null: nothing did. */
    String run() throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("seriatim-junit");
        try {
            return run(folder);
        } finally {
            for (File file : folder.toFile().listFiles())
                file.delete();
            Files.delete(folder);
        }
    }

    private String run(Path folder) throws IOException, InterruptedException {
        Path report = folder.resolve("report"), output = folder.resolve("output");
        Path errors = folder.resolve("errors");
        Process process = start(new ProcessBuilder(command(folder, report))
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectOutput(output.toFile()).redirectError(errors.toFile()));
        int status;
        try {
            status = process.waitFor();
        } finally {
            process.destroy(); // if this test was interrupted, as by a time limit
        }
        String said = Files.readString(errors);
        System.out.print(Files.readString(output));
        System.err.print(said);
        String found = Files.exists(report) ? Files.readString(report) : "";
        if (status == 0)
            return null;
        if (status == FOUND)
            return found;
        return "the test failed, or could not run, under seriatim (status " + status + "):\n" + said
                + found;
    }

    private static Process start(ProcessBuilder builder) throws IOException {
        try {
            return builder.start();
        } catch (IOException e) {
            throw new IOException("cannot run '" + seriatim() + "': install seriatim, or say where it "
                    + "is with -Dseriatim.command=PATH", e);
        }
    }

    private static String seriatim() {
        return System.getProperty("seriatim.command", "seriatim");
    }

    private List<String> command(Path folder, Path report) throws IOException {
        Path spec = folder.resolve("spec");
        List<String> lines = new ArrayList<>();
        // A test is what a main function is elsewhere.
        lines.add("ignore function " + method.getDeclaringClass().getName() + '.' + method.getName());
        lines.addAll(Arrays.asList(wish.spec()));
        Files.write(spec, lines);
        List<String> words = new ArrayList<>(Arrays.asList(
                seriatim(), "run", "--log", report.toString(), "--spec", spec.toString()));
        add(words, "--include", wish.include());
        add(words, "--exclude", wish.exclude());
        add(words, "--jdk", wish.jdk());
        words.addAll(Arrays.asList(wish.options()));
        words.add("--");
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(options());
        words.addAll(Arrays.asList("-cp", classPath(), "seriatim.junit.OneTest", test));
        return words;
    }

    private static void add(List<String> words, String option, String[] values) {
        for (String value : values) {
            words.add(option);
            words.add(value);
        }
    }

    /** Those of this JVM, without its agents and debuggers. */
    private static List<String> options() {
        List<String> all = new ArrayList<>();
        for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments())
            if (!option.startsWith("-javaagent") && !option.startsWith("-agent")
                    && !option.startsWith("-Xrunjdwp"))
                all.add(option);
        return all;
    }

    /** Of this JVM, with what build tools load by means of their own. */
    private String classPath() {
        Set<String> places = new LinkedHashSet<>();
        places.add(System.getProperty("java.class.path"));
        for (ClassLoader at = method.getDeclaringClass().getClassLoader(); at != null;
                at = at.getParent())
            if (at instanceof URLClassLoader)
                for (URL url : ((URLClassLoader) at).getURLs())
                    add(places, url);
        add(places, method.getDeclaringClass());
        for (String name : NEEDED)
            try {
                add(places, Class.forName(
                        name, false, Thread.currentThread().getContextClassLoader()));
            } catch (ClassNotFoundException | LinkageError e) {
                continue; // it may be where Java looks anyway
            }
        return String.join(File.pathSeparator, places);
    }

    private static void add(Set<String> places, Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        if (source != null)
            add(places, source.getLocation());
    }

    private static void add(Set<String> places, URL place) {
        try {
            if ("file".equals(place.getProtocol()))
                places.add(Path.of(place.toURI()).toString());
        } catch (URISyntaxException e) {
            return; // not a file that a JVM could be told of
        }
    }
}
