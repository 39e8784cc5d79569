package seriatim.calls.turns;

import seriatim.calls.Replaces;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

/** Time is that of the schedule, and the others may go on before the program ends. */
@Replaces(value = System.class, isStatic = true)
public final class Clocks {
    public static long nanoTime(ThreadState t, int site) {
        return Turns.nanoTime();
    }

    public static long currentTimeMillis(ThreadState t, int site) {
        return Turns.currentTimeMillis();
    }

    public static void exit(int status, ThreadState t, int site) {
        Turns.exit(t, site);
        System.exit(status);
    }

    private Clocks() {}
}
