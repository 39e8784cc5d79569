package seriatim.calls;

import seriatim.run.Hooks;
import seriatim.run.ThreadState;

/** Waiting gives the monitor up, and inferred blocks are split there. A notification orders nothing
 * that the monitor does not. */
@Replaces(Object.class)
public final class Monitors {
    public static void wait(Object monitor, ThreadState t, int site) throws InterruptedException {
        wait(monitor, 0L, t, site);
    }

    public static void wait(Object monitor, long milliseconds, ThreadState t, int site)
            throws InterruptedException {
        int times = Hooks.beginWait(monitor, t, site);
        try {
            monitor.wait(milliseconds);
        } finally {
            Hooks.endWait(monitor, times, t, site);
        }
    }

    public static void wait(Object monitor, long milliseconds, int nanoseconds, ThreadState t,
            int site) throws InterruptedException {
        int times = Hooks.beginWait(monitor, t, site);
        try {
            monitor.wait(milliseconds, nanoseconds);
        } finally {
            Hooks.endWait(monitor, times, t, site);
        }
    }

    private Monitors() {}
}
