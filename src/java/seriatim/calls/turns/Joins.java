package seriatim.calls.turns;

import seriatim.calls.Replaces;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

/** Who joins a thread holds a monitor of the JDK meanwhile: so it waits before. */
@Replaces(Thread.class)
public final class Joins {
    public static void join(Thread thread, ThreadState t, int site) throws InterruptedException {
        t.site = site;
        Turns.join(thread, 0);
        thread.join();
    }

    public static void join(Thread thread, long milliseconds, ThreadState t, int site)
            throws InterruptedException {
        t.site = site;
        boolean bounded = milliseconds > 0 && milliseconds < Long.MAX_VALUE / 1_000_000;
        if (Turns.join(thread, bounded ? milliseconds * 1_000_000 : milliseconds < 0 ? -1 : 0))
            thread.join(milliseconds);
    }

    private Joins() {}
}
