package seriatim.agent;

import java.io.File;
import java.lang.instrument.Instrumentation;
import java.util.concurrent.atomic.AtomicInteger;
import seriatim.run.Attachment;
import seriatim.run.Settings;
import seriatim.run.Turns;

/** Starts the agent, after its classes are where all classes find them. */
public final class Start {
    public static void start(String arguments, Instrumentation instrumentation, File jar)
            throws Exception {
        if (!Attachment.begin())
            return; // another copy of the agent was first
        Settings.read(System.getenv("SERIATIM_JAVA"), arguments);
        String place = System.getenv("SERIATIM_STREAM");
        if (Settings.stream == null && place != null && isNumber(place))
            Settings.stream = "/proc/self/fd/" + place;
        if (Settings.stream == null && (place == null || !place.startsWith("@")))
            return; // nobody watches
        Unsupported.load(instrumentation);
        AtomicInteger descriptor = new AtomicInteger(-1);
        if (Settings.stream == null)
            Attachment.asking(
                    () -> {
                        int asked = Rendezvous.ask(place, jar);
                        descriptor.set(asked);
                        return asked < 0 ? null : "/proc/self/fd/" + asked;
                    },
                    () -> Rendezvous.close(descriptor.get()));
        Turns.library = new File(jar.getParentFile(), "libseriatim_java.so").getAbsolutePath();
        ClassLoader inner = new InnerLoader(jar);
        Class.forName("seriatim.weave.Transformer", true, inner)
                .getMethod("install", Instrumentation.class)
                .invoke(null, instrumentation);
    }

    private static boolean isNumber(String text) {
        for (int i = 0; i < text.length(); i++)
            if (text.charAt(i) < '0' || text.charAt(i) > '9')
                return false;
        return !text.isEmpty();
    }

    private Start() {}
}
