package seriatim.calls;

import static seriatim.control.ControlLayout.*;

import seriatim.run.Hooks;
import seriatim.run.Sync;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

/** Interrupting a thread, and seeing that. */
@Replaces(Thread.class)
public final class Interrupts {
    public static void interrupt(Thread thread, ThreadState t, int site) {
        Turns.point(AT_COND_SIGNAL, thread, t, site);
        Sync.send(t, thread, Hooks.INTERRUPTED, site);
        thread.interrupt();
    }

    public static boolean isInterrupted(Thread thread, ThreadState t, int site) {
        Turns.point(AT_ATOMIC_READ, thread, t, site);
        boolean yes = thread.isInterrupted();
        if (yes)
            Sync.receive(t, thread, Hooks.INTERRUPTED, site);
        return yes;
    }

    public static boolean isAlive(Thread thread, ThreadState t, int site) {
        Turns.point(AT_ATOMIC_READ, thread, t, site);
        boolean alive = thread.isAlive();
        if (!alive)
            seriatim.run.Threads.joined(thread);
        return alive;
    }

    private Interrupts() {}
}
