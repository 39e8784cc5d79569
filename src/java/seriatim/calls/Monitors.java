package seriatim.calls;

import static seriatim.control.ControlLayout.*;

import seriatim.run.Hooks;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

/** Waiting gives the monitor up, and inferred blocks are split there. A notification orders nothing
 * that the monitor does not. */
@Replaces(Object.class)
public final class Monitors {
    public static void wait(Object monitor, ThreadState t, int site) throws InterruptedException {
        wait(monitor, 0L, t, site);
    }

    public static void wait(Object monitor, long milliseconds, ThreadState t, int site)
            throws InterruptedException {
        Turns.point(AT_COND_WAIT, monitor, t, site);
        int times = Hooks.beginWait(monitor, t, site);
        try {
            if (!Turns.await(monitor, nanoseconds(milliseconds), t))
                monitor.wait(milliseconds);
        } finally {
            Hooks.endWait(monitor, times, t, site);
        }
    }

    public static void wait(Object monitor, long milliseconds, int nanoseconds, ThreadState t,
            int site) throws InterruptedException {
        Turns.point(AT_COND_WAIT, monitor, t, site);
        int times = Hooks.beginWait(monitor, t, site);
        try {
            if (!Turns.await(monitor, nanoseconds(milliseconds) + nanoseconds, t))
                monitor.wait(milliseconds, nanoseconds);
        } finally {
            Hooks.endWait(monitor, times, t, site);
        }
    }

    private static long nanoseconds(long milliseconds) {
        return Math.min(milliseconds, Long.MAX_VALUE / 2_000_000) * 1_000_000;
    }

    private Monitors() {}
}
