package seriatim.calls;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;
import seriatim.run.Cells;
import seriatim.run.ThreadState;

/** Atomic numbers. */
@Replaces(AtomicInteger.class)
public final class Integers {
    public static int get(AtomicInteger a, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, 0, t, site);
        int v = a.get();
        Cells.loaded(part, 0, v, t, site);
        return v;
    }

    public static int getPlain(AtomicInteger a, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, 0, t, site);
        int v = a.getPlain();
        Cells.loaded(part, 0, v, t, site);
        return v;
    }

    public static int getOpaque(AtomicInteger a, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, 0, t, site);
        int v = a.getOpaque();
        Cells.loaded(part, 0, v, t, site);
        return v;
    }

    public static int getAcquire(AtomicInteger a, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, 0, t, site);
        int v = a.getAcquire();
        Cells.loaded(part, 0, v, t, site);
        return v;
    }

    public static void set(AtomicInteger a, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        a.set(next);
        Cells.stored(part, 0, next, t, site);
    }

    public static void lazySet(AtomicInteger a, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        a.lazySet(next);
        Cells.stored(part, 0, next, t, site);
    }

    public static void setPlain(AtomicInteger a, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        a.setPlain(next);
        Cells.stored(part, 0, next, t, site);
    }

    public static void setOpaque(AtomicInteger a, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        a.setOpaque(next);
        Cells.stored(part, 0, next, t, site);
    }

    public static void setRelease(AtomicInteger a, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        a.setRelease(next);
        Cells.stored(part, 0, next, t, site);
    }

    public static int getAndSet(AtomicInteger a, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        int v = a.getAndSet(next);
        Cells.updated(part, 0, Cells.EXCHANGE, v, next, t, site);
        return v;
    }

    public static boolean compareAndSet(
            AtomicInteger a, int before, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = a.compareAndSet(before, next);
        Cells.compared(part, 0, v, before, next, t, site);
        return v;
    }

    public static boolean weakCompareAndSetPlain(
            AtomicInteger a, int before, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = a.weakCompareAndSetPlain(before, next);
        Cells.compared(part, 0, v, before, next, t, site);
        return v;
    }

    public static boolean weakCompareAndSetVolatile(
            AtomicInteger a, int before, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = a.weakCompareAndSetVolatile(before, next);
        Cells.compared(part, 0, v, before, next, t, site);
        return v;
    }

    public static boolean weakCompareAndSetAcquire(
            AtomicInteger a, int before, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = a.weakCompareAndSetAcquire(before, next);
        Cells.compared(part, 0, v, before, next, t, site);
        return v;
    }

    public static boolean weakCompareAndSetRelease(
            AtomicInteger a, int before, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = a.weakCompareAndSetRelease(before, next);
        Cells.compared(part, 0, v, before, next, t, site);
        return v;
    }

    public static int compareAndExchange(
            AtomicInteger a, int before, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        int v = a.compareAndExchange(before, next);
        Cells.compared(part, 0, v == before, before, next, t, site);
        return v;
    }

    public static int compareAndExchangeAcquire(
            AtomicInteger a, int before, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        int v = a.compareAndExchangeAcquire(before, next);
        Cells.compared(part, 0, v == before, before, next, t, site);
        return v;
    }

    public static int compareAndExchangeRelease(
            AtomicInteger a, int before, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        int v = a.compareAndExchangeRelease(before, next);
        Cells.compared(part, 0, v == before, before, next, t, site);
        return v;
    }

    public static int getAndIncrement(AtomicInteger a, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        int v = a.getAndIncrement();
        Cells.updated(part, 0, Cells.ADD, v, v + 1, t, site);
        return v;
    }

    public static int getAndDecrement(AtomicInteger a, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        int v = a.getAndDecrement();
        Cells.updated(part, 0, Cells.ADD, v, v - 1, t, site);
        return v;
    }

    public static int incrementAndGet(AtomicInteger a, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        int v = a.incrementAndGet();
        Cells.updated(part, 0, Cells.ADD, v - 1, v, t, site);
        return v;
    }

    public static int decrementAndGet(AtomicInteger a, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        int v = a.decrementAndGet();
        Cells.updated(part, 0, Cells.ADD, v + 1, v, t, site);
        return v;
    }

    public static int getAndAdd(AtomicInteger a, int more, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        int v = a.getAndAdd(more);
        Cells.updated(part, 0, Cells.ADD, v, v + more, t, site);
        return v;
    }

    public static int addAndGet(AtomicInteger a, int more, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        int v = a.addAndGet(more);
        Cells.updated(part, 0, Cells.ADD, v - more, v, t, site);
        return v;
    }

    public static int getAndUpdate(
            AtomicInteger a, IntUnaryOperator with, ThreadState t, int site) {
        Cells.approach(a, 0, t, site);
        int v = a.getAndUpdate(with);
        Cells.afterwards(a, 0, v, v, t, site);
        return v;
    }

    public static int updateAndGet(
            AtomicInteger a, IntUnaryOperator with, ThreadState t, int site) {
        Cells.approach(a, 0, t, site);
        int v = a.updateAndGet(with);
        Cells.afterwards(a, 0, v, v, t, site);
        return v;
    }

    public static int getAndAccumulate(
            AtomicInteger a, int x, IntBinaryOperator with, ThreadState t, int site) {
        Cells.approach(a, 0, t, site);
        int v = a.getAndAccumulate(x, with);
        Cells.afterwards(a, 0, v, v, t, site);
        return v;
    }

    public static int accumulateAndGet(
            AtomicInteger a, int x, IntBinaryOperator with, ThreadState t, int site) {
        Cells.approach(a, 0, t, site);
        int v = a.accumulateAndGet(x, with);
        Cells.afterwards(a, 0, v, v, t, site);
        return v;
    }

    private Integers() {}
}
