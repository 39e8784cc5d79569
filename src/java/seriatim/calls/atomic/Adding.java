package seriatim.calls.atomic;

import static seriatim.control.ControlLayout.*;

import java.util.concurrent.atomic.LongAdder;
import seriatim.calls.Replaces;
import seriatim.library.Adders;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

/** LongAdder: see Adders. */
@Replaces(LongAdder.class)
public final class Adding {
    public static void add(LongAdder a, long x, ThreadState t, int site) {
        Turns.point(AT_ATOMIC_WRITE, a, t, site);
        Adders.Sum sum = Adders.of(a, t);
        synchronized (sum) {
            a.add(x);
            sum.added(t, site);
        }
    }

    public static void increment(LongAdder a, ThreadState t, int site) {
        Turns.point(AT_ATOMIC_WRITE, a, t, site);
        Adders.Sum sum = Adders.of(a, t);
        synchronized (sum) {
            a.increment();
            sum.added(t, site);
        }
    }

    public static void decrement(LongAdder a, ThreadState t, int site) {
        Turns.point(AT_ATOMIC_WRITE, a, t, site);
        Adders.Sum sum = Adders.of(a, t);
        synchronized (sum) {
            a.decrement();
            sum.added(t, site);
        }
    }

    public static long sum(LongAdder a, ThreadState t, int site) {
        Turns.point(AT_ATOMIC_READ, a, t, site);
        Adders.Sum sum = Adders.of(a, t);
        synchronized (sum) {
            long v = a.sum();
            sum.asked(t, site);
            return v;
        }
    }

    public static void reset(LongAdder a, ThreadState t, int site) {
        Turns.point(AT_ATOMIC_WRITE, a, t, site);
        Adders.Sum sum = Adders.of(a, t);
        synchronized (sum) {
            a.reset();
            sum.reset(t, site);
        }
    }

    public static long sumThenReset(LongAdder a, ThreadState t, int site) {
        Turns.point(AT_ATOMIC_WRITE, a, t, site);
        Adders.Sum sum = Adders.of(a, t);
        synchronized (sum) {
            long v = a.sumThenReset();
            sum.reset(t, site);
            return v;
        }
    }

    private Adding() {}
}
