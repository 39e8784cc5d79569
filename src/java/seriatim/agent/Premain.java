package seriatim.agent;

import java.io.File;
import java.lang.instrument.Instrumentation;
import java.util.jar.JarFile;

/** Where the JVM starts the agent. */
public final class Premain {
    private static final String STARTED = "seriatim.started";

    public static void premain(String arguments, Instrumentation instrumentation) {
        if (System.getProperty(STARTED) != null)
            return; // -javaagent was given twice
        System.setProperty(STARTED, "1");
        try {
            File jar = new File(
                    Premain.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            instrumentation.appendToBootstrapClassLoaderSearch(new JarFile(jar));
            Start.start(arguments, instrumentation, jar);
        } catch (Throwable e) {
            System.err.println("seriatim: the agent cannot start, and nothing is watched: " + e);
        } finally {
            System.clearProperty(STARTED);
        }
    }

    private Premain() {}
}
