package seriatim.calls.atomic;

import static seriatim.control.ControlLayout.*;

import java.util.concurrent.atomic.DoubleAccumulator;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import seriatim.calls.Replaces;
import seriatim.library.Adders;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

/** LongAdder and its like as numbers: see Adders. */
@Replaces({LongAdder.class, DoubleAdder.class, LongAccumulator.class, DoubleAccumulator.class})
public final class AdderValues {
    public static long longValue(Number a, ThreadState t, int site) {
        Turns.point(AT_ATOMIC_READ, a, t, site);
        Adders.Sum sum = Adders.of(a, t);
        synchronized (sum) {
            long v = a.longValue();
            sum.asked(t, site);
            return v;
        }
    }

    public static int intValue(Number a, ThreadState t, int site) {
        Turns.point(AT_ATOMIC_READ, a, t, site);
        Adders.Sum sum = Adders.of(a, t);
        synchronized (sum) {
            int v = a.intValue();
            sum.asked(t, site);
            return v;
        }
    }

    public static double doubleValue(Number a, ThreadState t, int site) {
        Turns.point(AT_ATOMIC_READ, a, t, site);
        Adders.Sum sum = Adders.of(a, t);
        synchronized (sum) {
            double v = a.doubleValue();
            sum.asked(t, site);
            return v;
        }
    }

    private AdderValues() {}
}
