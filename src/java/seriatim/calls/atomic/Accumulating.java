package seriatim.calls.atomic;

import static seriatim.control.ControlLayout.*;

import java.util.concurrent.atomic.LongAccumulator;
import seriatim.calls.Replaces;
import seriatim.library.Adders;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

/** LongAccumulator: see Adders. Its function has no effects, so it may be called in a monitor. */
@Replaces(LongAccumulator.class)
public final class Accumulating {
    public static void accumulate(LongAccumulator a, long x, ThreadState t, int site) {
        Turns.point(AT_ATOMIC_WRITE, a, t, site);
        Adders.Sum sum = Adders.of(a, t);
        synchronized (sum) {
            a.accumulate(x);
            sum.added(t, site);
        }
    }

    public static long get(LongAccumulator a, ThreadState t, int site) {
        Turns.point(AT_ATOMIC_READ, a, t, site);
        Adders.Sum sum = Adders.of(a, t);
        synchronized (sum) {
            long v = a.get();
            sum.asked(t, site);
            return v;
        }
    }

    public static void reset(LongAccumulator a, ThreadState t, int site) {
        Turns.point(AT_ATOMIC_WRITE, a, t, site);
        Adders.Sum sum = Adders.of(a, t);
        synchronized (sum) {
            a.reset();
            sum.reset(t, site);
        }
    }

    public static long getThenReset(LongAccumulator a, ThreadState t, int site) {
        Turns.point(AT_ATOMIC_WRITE, a, t, site);
        Adders.Sum sum = Adders.of(a, t);
        synchronized (sum) {
            long v = a.getThenReset();
            sum.reset(t, site);
            return v;
        }
    }

    private Accumulating() {}
}
