package unwatched;

/**
 * Forces one schedule: one thread calls something slowly, and another calls it, quickly, while the first is in between. The
 * package is not watched, so nothing here orders anything.
 */
public final class Between {
    /** This is the program without its bugs. */
    public static final boolean FIXED = Boolean.getBoolean("fixed");

    public interface Use {
        void call(boolean slowly) throws Exception;
    }

    private static volatile boolean inMiddle, done;

    /** In the middle of what is to be cut. */
    public static void pause(boolean slowly) {
        if (!slowly)
            return;
        inMiddle = true;
        while (!done)
            Thread.yield();
    }

    private static Thread start(String name, Use use, boolean slowly) {
        Thread thread = new Thread(() -> {
            try {
                while (!slowly && !FIXED && !inMiddle)
                    Thread.yield();
                use.call(slowly);
                if (!slowly)
                    done = true;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, name);
        thread.start();
        return thread;
    }

    public static void cut(Use use) throws Exception {
        inMiddle = done = false;
        Thread slow = start("slow", use, true), quick = start("quick", use, false);
        slow.join();
        quick.join();
    }

    private Between() {}
}
