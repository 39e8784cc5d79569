package seriatim.calls.turns;

import seriatim.calls.Replaces;
import seriatim.control.ControlLayout;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

/** Who says that it waits lets others go on. */
@Replaces(value = Thread.class, isStatic = true)
public final class Yields {
    public static void yield(ThreadState t, int site) {
        Turns.point(ControlLayout.AT_YIELD, null, t, site);
        Thread.yield();
    }

    public static void onSpinWait(ThreadState t, int site) {
        Turns.point(ControlLayout.AT_YIELD, null, t, site);
        Thread.onSpinWait();
    }

    private Yields() {}
}
