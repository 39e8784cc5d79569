package seriatim.calls.atomic;

import static seriatim.control.ControlLayout.*;

import java.util.concurrent.atomic.DoubleAdder;
import seriatim.calls.Replaces;
import seriatim.library.Adders;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

/** DoubleAdder: see Adders. */
@Replaces(DoubleAdder.class)
public final class AddingDoubles {
    public static void add(DoubleAdder a, double x, ThreadState t, int site) {
        Turns.point(AT_ATOMIC_WRITE, a, t, site);
        Adders.Sum sum = Adders.of(a, t);
        synchronized (sum) {
            a.add(x);
            sum.added(t, site);
        }
    }

    public static double sum(DoubleAdder a, ThreadState t, int site) {
        Turns.point(AT_ATOMIC_READ, a, t, site);
        Adders.Sum sum = Adders.of(a, t);
        synchronized (sum) {
            double v = a.sum();
            sum.asked(t, site);
            return v;
        }
    }

    public static void reset(DoubleAdder a, ThreadState t, int site) {
        Turns.point(AT_ATOMIC_WRITE, a, t, site);
        Adders.Sum sum = Adders.of(a, t);
        synchronized (sum) {
            a.reset();
            sum.reset(t, site);
        }
    }

    public static double sumThenReset(DoubleAdder a, ThreadState t, int site) {
        Turns.point(AT_ATOMIC_WRITE, a, t, site);
        Adders.Sum sum = Adders.of(a, t);
        synchronized (sum) {
            double v = a.sumThenReset();
            sum.reset(t, site);
            return v;
        }
    }

    private AddingDoubles() {}
}
