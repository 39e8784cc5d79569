package seriatim.calls.turns;

import seriatim.calls.Replaces;
import seriatim.control.ControlLayout;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

/** Notifications wake those who take turns as the schedule has it, and all others, too. */
@Replaces(Object.class)
public final class Notifications {
    private static void notify(Object monitor, boolean all, ThreadState t, int site) {
        Turns.point(ControlLayout.AT_COND_SIGNAL, monitor, t, site);
        monitor.notifyAll();
        Turns.notified(monitor, all, t);
    }

    public static void notify(Object monitor, ThreadState t, int site) {
        notify(monitor, false, t, site);
    }

    public static void notifyAll(Object monitor, ThreadState t, int site) {
        notify(monitor, true, t, site);
    }

    private Notifications() {}
}
