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

    private static Thread start(String name, Use use, boolean slowly, boolean waits) {
        Thread thread = new Thread(() -> {
            try {
                while (waits && !inMiddle)
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

    /** Both at a time: the quick one in the middle of the slow one, or, without bugs, whenever it likes. */
    public static void cut(Use use) throws Exception {
        inMiddle = done = false;
        Thread slow = start("slow", use, true, false), quick = start("quick", use, false, !FIXED);
        slow.join();
        quick.join();
    }

    /** One after the other, though nothing that is watched says so. */
    public static void oneByOne(Use use) throws Exception {
        inMiddle = done = false;
        Thread quick = start("quick", use, false, true);
        Thread slow = start("slow", use, true, false);
        while (slow.getState() != Thread.State.TERMINATED)
            Thread.yield();
        inMiddle = true;
        slow.join();
        quick.join();
    }

    private Between() {}
}
