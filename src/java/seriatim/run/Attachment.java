package seriatim.run;

import java.util.function.Supplier;

/** Attaching to the stream, when the first class is loaded that is to be watched. */
public final class Attachment {
    private static boolean begun, tried, attached;
    private static Supplier<String> asking;
    private static Runnable mapped = () -> {};

    /** False: an agent has begun in this JVM already. */
    public static synchronized boolean begin() {
        boolean first = !begun;
        begun = true;
        return first;
    }

    /** How to get the path of the stream, and what to do when it is mapped. */
    public static void asking(Supplier<String> path, Runnable afterwards) {
        asking = path;
        mapped = afterwards;
    }

    /** Is this JVM watched? It asks for that when this is first called. */
    public static boolean attach() {
        if (tried)
            return attached;
        return tryIt();
    }

    private static synchronized boolean tryIt() {
        if (tried)
            return attached;
        try {
            attached = open();
        } catch (Throwable e) {
            Settings.complain("cannot watch this program: " + e);
        }
        tried = true;
        return attached;
    }

    private static boolean open() throws Exception {
        boolean granted = Settings.stream == null;
        String path = granted && asking != null ? asking.get() : Settings.stream;
        if (path == null)
            return false;
        Sites.open(Settings.sites);
        String trouble = Stream.open(path, granted);
        if (granted)
            mapped.run();
        if (trouble != null) {
            if (!trouble.isEmpty())
                Settings.complain(trouble);
            return false;
        }
        Threads.first();
        Turns.start(ThreadState.get());
        Runtime.getRuntime().addShutdownHook(new Threads.Own(Stream::end));
        return true;
    }

    private static final String[] NEEDED = {
        "Arrays", "Arrays$Cache", "Atomics", "Cells", "Eager", "Frames", "Guesses", "Hooks", "Learned",
        "LeftFrames", "Objects", "Objects$Known", "OneAccess", "OneAccess$Table", "OwnParts", "Parts",
        "Shadow", "SharedReads", "SharedReads$Entry", "SideTable", "SideTable$Node", "SideTable$Stripe", "Slots", "Sync",
        "ThreadState", "Threads", "Threads$Forked", "Turns", "Writer",
    };

    /** Loads what emits accesses. If a changed class of the JDK did that, and is one that loading
     * needs, it would come back to the class that is being loaded. */
    public static void loadNeeded() {
        try {
            for (String name : NEEDED)
                Class.forName("seriatim.run." + name);
        } catch (ClassNotFoundException e) {
            Settings.complain("the agent is not complete: " + e);
        }
    }

    private Attachment() {}
}
