package seriatim.calls.atomic;

import static seriatim.control.ControlLayout.*;

import java.util.concurrent.atomic.DoubleAccumulator;
import seriatim.calls.Replaces;
import seriatim.library.Adders;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

/** DoubleAccumulator: see Adders. Its function has no effects, so it may be called in a monitor. */
@Replaces(DoubleAccumulator.class)
public final class AccumulatingDoubles {
    public static void accumulate(DoubleAccumulator a, double x, ThreadState t, int site) {
        Turns.point(AT_ATOMIC_WRITE, a, t, site);
        Adders.Sum sum = Adders.of(a, t);
        synchronized (sum) {
            a.accumulate(x);
            sum.added(t, site);
        }
    }

    public static double get(DoubleAccumulator a, ThreadState t, int site) {
        Turns.point(AT_ATOMIC_READ, a, t, site);
        Adders.Sum sum = Adders.of(a, t);
        synchronized (sum) {
            double v = a.get();
            sum.asked(t, site);
            return v;
        }
    }

    public static void reset(DoubleAccumulator a, ThreadState t, int site) {
        Turns.point(AT_ATOMIC_WRITE, a, t, site);
        Adders.Sum sum = Adders.of(a, t);
        synchronized (sum) {
            a.reset();
            sum.reset(t, site);
        }
    }

    public static double getThenReset(DoubleAccumulator a, ThreadState t, int site) {
        Turns.point(AT_ATOMIC_WRITE, a, t, site);
        Adders.Sum sum = Adders.of(a, t);
        synchronized (sum) {
            double v = a.getThenReset();
            sum.reset(t, site);
            return v;
        }
    }

    private AccumulatingDoubles() {}
}
