package seriatim.agent;

import java.io.File;
import java.lang.instrument.Instrumentation;
import java.util.jar.JarFile;

/** Where the JVM starts the agent. Java 8 can read this class, and none of the others: so there the
 * program is not stopped by class files that are too new. */
public final class Premain {
    private static final String STARTED = "seriatim.started";
    private static final int OLDEST = 11;

    /** Of "1.8" or "17", which the JVM says it is: what is wrong with that, or null. */
    static String trouble(String version) {
        int major = Integer.parseInt(version.startsWith("1.") ? version.substring(2) : version);
        if (major >= OLDEST)
            return null;
        return "this is Java " + major + ", and programs can be watched from Java " + OLDEST
                + " on: run it with a newer one";
    }

    public static void premain(String arguments, Instrumentation instrumentation) {
        String trouble = trouble(System.getProperty("java.specification.version"));
        if (trouble != null) {
            if (System.getenv("SERIATIM_STREAM") != null)
                System.err.println("seriatim: " + trouble);
            return;
        }
        if (System.getProperty(STARTED) != null)
            return; // -javaagent was given twice
        System.setProperty(STARTED, "1");
        try {
            File jar = new File(
                    Premain.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            instrumentation.appendToBootstrapClassLoaderSearch(new JarFile(jar));
            Start.start(arguments, instrumentation, jar);
        } catch (Throwable e) {
            System.err.println("seriatim: the agent cannot start, and nothing is watched: "
                    + (e instanceof IllegalStateException ? e.getMessage() : e));
        } finally {
            System.clearProperty(STARTED);
        }
    }

    private Premain() {}
}
