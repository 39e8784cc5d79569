package seriatim.calls;

import static seriatim.control.ControlLayout.*;

import seriatim.run.Hooks;
import seriatim.run.Sync;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

/** Where a thread lets others go on, on purpose. */
@Replaces(value = Thread.class, isStatic = true)
public final class Sleeps {
    public static void sleep(long milliseconds, ThreadState t, int site)
            throws InterruptedException {
        Sync.split(t);
        t.site = site;
        Turns.sleepMillis(milliseconds);
    }

    public static void sleep(long milliseconds, int nanoseconds, ThreadState t, int site)
            throws InterruptedException {
        Sync.split(t);
        t.site = site;
        if (milliseconds < 0 || milliseconds > Long.MAX_VALUE / 2_000_000 || nanoseconds < 0
                || !Turns.sleep(milliseconds * 1_000_000 + nanoseconds))
            Thread.sleep(milliseconds, nanoseconds);
    }

    public static boolean interrupted(ThreadState t, int site) {
        Turns.point(AT_ATOMIC_READ, Thread.currentThread(), t, site);
        boolean yes = Thread.interrupted();
        if (yes)
            Sync.receive(t, Thread.currentThread(), Hooks.INTERRUPTED, site);
        return yes;
    }

    private Sleeps() {}
}
