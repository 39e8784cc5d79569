package seriatim.calls;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import seriatim.run.Cells;
import seriatim.run.ThreadState;

/** Arrays of atomic numbers; cmake/java-agent makes those of ints from this file. */
@Replaces(AtomicLongArray.class)
public final class LongArrays {
    public static long get(AtomicLongArray a, int i, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, i, t, site);
        long v = a.get(i);
        Cells.loaded(part, i, v, t, site);
        return v;
    }

    public static long getPlain(AtomicLongArray a, int i, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, i, t, site);
        long v = a.getPlain(i);
        Cells.loaded(part, i, v, t, site);
        return v;
    }

    public static long getOpaque(AtomicLongArray a, int i, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, i, t, site);
        long v = a.getOpaque(i);
        Cells.loaded(part, i, v, t, site);
        return v;
    }

    public static long getAcquire(AtomicLongArray a, int i, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, i, t, site);
        long v = a.getAcquire(i);
        Cells.loaded(part, i, v, t, site);
        return v;
    }

    public static void set(AtomicLongArray a, int i, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        a.set(i, next);
        Cells.stored(part, i, next, t, site);
    }

    public static void lazySet(AtomicLongArray a, int i, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        a.lazySet(i, next);
        Cells.stored(part, i, next, t, site);
    }

    public static void setPlain(AtomicLongArray a, int i, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        a.setPlain(i, next);
        Cells.stored(part, i, next, t, site);
    }

    public static void setOpaque(AtomicLongArray a, int i, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        a.setOpaque(i, next);
        Cells.stored(part, i, next, t, site);
    }

    public static void setRelease(AtomicLongArray a, int i, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        a.setRelease(i, next);
        Cells.stored(part, i, next, t, site);
    }

    public static long getAndSet(AtomicLongArray a, int i, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        long v = a.getAndSet(i, next);
        Cells.updated(part, i, Cells.EXCHANGE, v, next, t, site);
        return v;
    }

    public static boolean compareAndSet(
            AtomicLongArray a, int i, long before, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        boolean v = a.compareAndSet(i, before, next);
        Cells.compared(part, i, v, before, next, t, site);
        return v;
    }

    public static boolean weakCompareAndSetPlain(
            AtomicLongArray a, int i, long before, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        boolean v = a.weakCompareAndSetPlain(i, before, next);
        Cells.compared(part, i, v, before, next, t, site);
        return v;
    }

    public static boolean weakCompareAndSetVolatile(
            AtomicLongArray a, int i, long before, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        boolean v = a.weakCompareAndSetVolatile(i, before, next);
        Cells.compared(part, i, v, before, next, t, site);
        return v;
    }

    public static boolean weakCompareAndSetAcquire(
            AtomicLongArray a, int i, long before, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        boolean v = a.weakCompareAndSetAcquire(i, before, next);
        Cells.compared(part, i, v, before, next, t, site);
        return v;
    }

    public static boolean weakCompareAndSetRelease(
            AtomicLongArray a, int i, long before, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        boolean v = a.weakCompareAndSetRelease(i, before, next);
        Cells.compared(part, i, v, before, next, t, site);
        return v;
    }

    public static long compareAndExchange(
            AtomicLongArray a, int i, long before, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        long v = a.compareAndExchange(i, before, next);
        Cells.compared(part, i, v == before, before, next, t, site);
        return v;
    }

    public static long compareAndExchangeAcquire(
            AtomicLongArray a, int i, long before, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        long v = a.compareAndExchangeAcquire(i, before, next);
        Cells.compared(part, i, v == before, before, next, t, site);
        return v;
    }

    public static long compareAndExchangeRelease(
            AtomicLongArray a, int i, long before, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        long v = a.compareAndExchangeRelease(i, before, next);
        Cells.compared(part, i, v == before, before, next, t, site);
        return v;
    }

    public static long getAndIncrement(AtomicLongArray a, int i, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        long v = a.getAndIncrement(i);
        Cells.updated(part, i, Cells.ADD, v, v + 1, t, site);
        return v;
    }

    public static long getAndDecrement(AtomicLongArray a, int i, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        long v = a.getAndDecrement(i);
        Cells.updated(part, i, Cells.ADD, v, v - 1, t, site);
        return v;
    }

    public static long incrementAndGet(AtomicLongArray a, int i, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        long v = a.incrementAndGet(i);
        Cells.updated(part, i, Cells.ADD, v - 1, v, t, site);
        return v;
    }

    public static long decrementAndGet(AtomicLongArray a, int i, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        long v = a.decrementAndGet(i);
        Cells.updated(part, i, Cells.ADD, v + 1, v, t, site);
        return v;
    }

    public static long getAndAdd(AtomicLongArray a, int i, long more, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        long v = a.getAndAdd(i, more);
        Cells.updated(part, i, Cells.ADD, v, v + more, t, site);
        return v;
    }

    public static long addAndGet(AtomicLongArray a, int i, long more, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        long v = a.addAndGet(i, more);
        Cells.updated(part, i, Cells.ADD, v - more, v, t, site);
        return v;
    }

    // ---- with a function of the program: it runs first, and again if the number has changed ----

    private static boolean tried(AtomicLongArray a, int i, long before, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        boolean done = a.compareAndSet(i, before, next);
        Cells.tried(part, i, done, before, next, t, site);
        return done;
    }

    public static long getAndUpdate(
            AtomicLongArray a, int i, LongUnaryOperator with, ThreadState t, int site) {
        for (;;) {
            long before = a.get(i), next = with.applyAsLong(before);
            if (tried(a, i, before, next, t, site))
                return before;
        }
    }

    public static long updateAndGet(
            AtomicLongArray a, int i, LongUnaryOperator with, ThreadState t, int site) {
        for (;;) {
            long before = a.get(i), next = with.applyAsLong(before);
            if (tried(a, i, before, next, t, site))
                return next;
        }
    }

    public static long getAndAccumulate(
            AtomicLongArray a, int i, long x, LongBinaryOperator with, ThreadState t, int site) {
        return getAndUpdate(a, i, before -> with.applyAsLong(before, x), t, site);
    }

    public static long accumulateAndGet(
            AtomicLongArray a, int i, long x, LongBinaryOperator with, ThreadState t, int site) {
        return updateAndGet(a, i, before -> with.applyAsLong(before, x), t, site);
    }

    private LongArrays() {}
}
