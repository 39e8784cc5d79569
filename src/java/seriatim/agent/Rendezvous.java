package seriatim.agent;

import java.io.File;

/**
 * Asks the watcher for a stream, which takes a few lines of C: libseriatim_java.so, in the folder of
 * the agent's jar.
 */
final class Rendezvous {
    /**
     * Asks at the place that SERIATIM_STREAM names ("@NAME").
     *
     * @return the descriptor of the stream's memory, or -1 if this process is not watched
     */
    static int ask(String place, File jar) {
        System.load(new File(jar.getParentFile(), "libseriatim_java.so").getAbsolutePath());
        return askWatcher(place);
    }

    /** After the memory was mapped, so that no program that this one starts has the descriptor. */
    static void close(int descriptor) {
        closeDescriptor(descriptor);
    }

    private static native int askWatcher(String place);

    private static native void closeDescriptor(int descriptor);

    private Rendezvous() {}
}
