package seriatim.calls;

import seriatim.run.Hooks;
import seriatim.run.Sync;
import seriatim.run.ThreadState;

/** Where a thread lets others go on, on purpose. */
@Replaces(value = Thread.class, isStatic = true)
public final class Sleeps {
    public static void sleep(long milliseconds, ThreadState t, int site)
            throws InterruptedException {
        Sync.split(t);
        Thread.sleep(milliseconds);
    }

    public static void sleep(long milliseconds, int nanoseconds, ThreadState t, int site)
            throws InterruptedException {
        Sync.split(t);
        Thread.sleep(milliseconds, nanoseconds);
    }

    public static boolean interrupted(ThreadState t, int site) {
        boolean yes = Thread.interrupted();
        if (yes)
            Sync.receive(t, Thread.currentThread(), Hooks.INTERRUPTED, site);
        return yes;
    }

    private Sleeps() {}
}
