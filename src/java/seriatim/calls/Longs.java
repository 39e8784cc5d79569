package seriatim.calls;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import seriatim.run.Cells;
import seriatim.run.ThreadState;

/** Atomic numbers; cmake/java-agent makes those of ints from this file. */
@Replaces(AtomicLong.class)
public final class Longs {
    public static long get(AtomicLong a, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, 0, t, site);
        long v = a.get();
        Cells.loaded(part, 0, v, t, site);
        return v;
    }

    public static long getPlain(AtomicLong a, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, 0, t, site);
        long v = a.getPlain();
        Cells.loaded(part, 0, v, t, site);
        return v;
    }

    public static long getOpaque(AtomicLong a, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, 0, t, site);
        long v = a.getOpaque();
        Cells.loaded(part, 0, v, t, site);
        return v;
    }

    public static long getAcquire(AtomicLong a, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, 0, t, site);
        long v = a.getAcquire();
        Cells.loaded(part, 0, v, t, site);
        return v;
    }

    public static void set(AtomicLong a, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        a.set(next);
        Cells.stored(part, 0, next, t, site);
    }

    public static void lazySet(AtomicLong a, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        a.lazySet(next);
        Cells.stored(part, 0, next, t, site);
    }

    public static void setPlain(AtomicLong a, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        a.setPlain(next);
        Cells.stored(part, 0, next, t, site);
    }

    public static void setOpaque(AtomicLong a, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        a.setOpaque(next);
        Cells.stored(part, 0, next, t, site);
    }

    public static void setRelease(AtomicLong a, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        a.setRelease(next);
        Cells.stored(part, 0, next, t, site);
    }

    public static long getAndSet(AtomicLong a, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        long v = a.getAndSet(next);
        Cells.updated(part, 0, Cells.EXCHANGE, v, next, t, site);
        return v;
    }

    public static boolean compareAndSet(
            AtomicLong a, long before, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = a.compareAndSet(before, next);
        Cells.compared(part, 0, v, before, next, t, site);
        return v;
    }

    public static boolean weakCompareAndSetPlain(
            AtomicLong a, long before, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = a.weakCompareAndSetPlain(before, next);
        Cells.compared(part, 0, v, before, next, t, site);
        return v;
    }

    public static boolean weakCompareAndSetVolatile(
            AtomicLong a, long before, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = a.weakCompareAndSetVolatile(before, next);
        Cells.compared(part, 0, v, before, next, t, site);
        return v;
    }

    public static boolean weakCompareAndSetAcquire(
            AtomicLong a, long before, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = a.weakCompareAndSetAcquire(before, next);
        Cells.compared(part, 0, v, before, next, t, site);
        return v;
    }

    public static boolean weakCompareAndSetRelease(
            AtomicLong a, long before, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = a.weakCompareAndSetRelease(before, next);
        Cells.compared(part, 0, v, before, next, t, site);
        return v;
    }

    public static long compareAndExchange(
            AtomicLong a, long before, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        long v = a.compareAndExchange(before, next);
        Cells.compared(part, 0, v == before, before, next, t, site);
        return v;
    }

    public static long compareAndExchangeAcquire(
            AtomicLong a, long before, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        long v = a.compareAndExchangeAcquire(before, next);
        Cells.compared(part, 0, v == before, before, next, t, site);
        return v;
    }

    public static long compareAndExchangeRelease(
            AtomicLong a, long before, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        long v = a.compareAndExchangeRelease(before, next);
        Cells.compared(part, 0, v == before, before, next, t, site);
        return v;
    }

    public static long getAndIncrement(AtomicLong a, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        long v = a.getAndIncrement();
        Cells.updated(part, 0, Cells.ADD, v, v + 1, t, site);
        return v;
    }

    public static long getAndDecrement(AtomicLong a, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        long v = a.getAndDecrement();
        Cells.updated(part, 0, Cells.ADD, v, v - 1, t, site);
        return v;
    }

    public static long incrementAndGet(AtomicLong a, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        long v = a.incrementAndGet();
        Cells.updated(part, 0, Cells.ADD, v - 1, v, t, site);
        return v;
    }

    public static long decrementAndGet(AtomicLong a, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        long v = a.decrementAndGet();
        Cells.updated(part, 0, Cells.ADD, v + 1, v, t, site);
        return v;
    }

    public static long getAndAdd(AtomicLong a, long more, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        long v = a.getAndAdd(more);
        Cells.updated(part, 0, Cells.ADD, v, v + more, t, site);
        return v;
    }

    public static long addAndGet(AtomicLong a, long more, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        long v = a.addAndGet(more);
        Cells.updated(part, 0, Cells.ADD, v - more, v, t, site);
        return v;
    }

    // ---- with a function of the program: it runs first, and again if the number has changed ----

    private static boolean tried(AtomicLong a, long before, long next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean done = a.compareAndSet(before, next);
        Cells.tried(part, 0, done, before, next, t, site);
        return done;
    }

    public static long getAndUpdate(
            AtomicLong a, LongUnaryOperator with, ThreadState t, int site) {
        for (;;) {
            long before = a.get(), next = with.applyAsLong(before);
            if (tried(a, before, next, t, site))
                return before;
        }
    }

    public static long updateAndGet(
            AtomicLong a, LongUnaryOperator with, ThreadState t, int site) {
        for (;;) {
            long before = a.get(), next = with.applyAsLong(before);
            if (tried(a, before, next, t, site))
                return next;
        }
    }

    public static long getAndAccumulate(
            AtomicLong a, long x, LongBinaryOperator with, ThreadState t, int site) {
        return getAndUpdate(a, before -> with.applyAsLong(before, x), t, site);
    }

    public static long accumulateAndGet(
            AtomicLong a, long x, LongBinaryOperator with, ThreadState t, int site) {
        return updateAndGet(a, before -> with.applyAsLong(before, x), t, site);
    }

    private Longs() {}
}
