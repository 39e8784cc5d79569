package seriatim.calls;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;
import seriatim.run.Cells;
import seriatim.run.ThreadState;

/** Arrays of atomic numbers. */
@Replaces(AtomicIntegerArray.class)
public final class IntegerArrays {
    public static int get(AtomicIntegerArray a, int i, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, i, t, site);
        int v = a.get(i);
        Cells.loaded(part, i, v, t, site);
        return v;
    }

    public static int getPlain(AtomicIntegerArray a, int i, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, i, t, site);
        int v = a.getPlain(i);
        Cells.loaded(part, i, v, t, site);
        return v;
    }

    public static int getOpaque(AtomicIntegerArray a, int i, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, i, t, site);
        int v = a.getOpaque(i);
        Cells.loaded(part, i, v, t, site);
        return v;
    }

    public static int getAcquire(AtomicIntegerArray a, int i, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, i, t, site);
        int v = a.getAcquire(i);
        Cells.loaded(part, i, v, t, site);
        return v;
    }

    public static void set(AtomicIntegerArray a, int i, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        a.set(i, next);
        Cells.stored(part, i, next, t, site);
    }

    public static void lazySet(AtomicIntegerArray a, int i, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        a.lazySet(i, next);
        Cells.stored(part, i, next, t, site);
    }

    public static void setPlain(AtomicIntegerArray a, int i, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        a.setPlain(i, next);
        Cells.stored(part, i, next, t, site);
    }

    public static void setOpaque(AtomicIntegerArray a, int i, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        a.setOpaque(i, next);
        Cells.stored(part, i, next, t, site);
    }

    public static void setRelease(AtomicIntegerArray a, int i, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        a.setRelease(i, next);
        Cells.stored(part, i, next, t, site);
    }

    public static int getAndSet(AtomicIntegerArray a, int i, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        int v = a.getAndSet(i, next);
        Cells.updated(part, i, Cells.EXCHANGE, v, next, t, site);
        return v;
    }

    public static boolean compareAndSet(
            AtomicIntegerArray a, int i, int before, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        boolean v = a.compareAndSet(i, before, next);
        Cells.compared(part, i, v, before, next, t, site);
        return v;
    }

    public static boolean weakCompareAndSetPlain(
            AtomicIntegerArray a, int i, int before, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        boolean v = a.weakCompareAndSetPlain(i, before, next);
        Cells.compared(part, i, v, before, next, t, site);
        return v;
    }

    public static boolean weakCompareAndSetVolatile(
            AtomicIntegerArray a, int i, int before, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        boolean v = a.weakCompareAndSetVolatile(i, before, next);
        Cells.compared(part, i, v, before, next, t, site);
        return v;
    }

    public static boolean weakCompareAndSetAcquire(
            AtomicIntegerArray a, int i, int before, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        boolean v = a.weakCompareAndSetAcquire(i, before, next);
        Cells.compared(part, i, v, before, next, t, site);
        return v;
    }

    public static boolean weakCompareAndSetRelease(
            AtomicIntegerArray a, int i, int before, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        boolean v = a.weakCompareAndSetRelease(i, before, next);
        Cells.compared(part, i, v, before, next, t, site);
        return v;
    }

    public static int compareAndExchange(
            AtomicIntegerArray a, int i, int before, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        int v = a.compareAndExchange(i, before, next);
        Cells.compared(part, i, v == before, before, next, t, site);
        return v;
    }

    public static int compareAndExchangeAcquire(
            AtomicIntegerArray a, int i, int before, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        int v = a.compareAndExchangeAcquire(i, before, next);
        Cells.compared(part, i, v == before, before, next, t, site);
        return v;
    }

    public static int compareAndExchangeRelease(
            AtomicIntegerArray a, int i, int before, int next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        int v = a.compareAndExchangeRelease(i, before, next);
        Cells.compared(part, i, v == before, before, next, t, site);
        return v;
    }

    public static int getAndIncrement(AtomicIntegerArray a, int i, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        int v = a.getAndIncrement(i);
        Cells.updated(part, i, Cells.ADD, v, v + 1, t, site);
        return v;
    }

    public static int getAndDecrement(AtomicIntegerArray a, int i, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        int v = a.getAndDecrement(i);
        Cells.updated(part, i, Cells.ADD, v, v - 1, t, site);
        return v;
    }

    public static int incrementAndGet(AtomicIntegerArray a, int i, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        int v = a.incrementAndGet(i);
        Cells.updated(part, i, Cells.ADD, v - 1, v, t, site);
        return v;
    }

    public static int decrementAndGet(AtomicIntegerArray a, int i, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        int v = a.decrementAndGet(i);
        Cells.updated(part, i, Cells.ADD, v + 1, v, t, site);
        return v;
    }

    public static int getAndAdd(AtomicIntegerArray a, int i, int more, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        int v = a.getAndAdd(i, more);
        Cells.updated(part, i, Cells.ADD, v, v + more, t, site);
        return v;
    }

    public static int addAndGet(AtomicIntegerArray a, int i, int more, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        int v = a.addAndGet(i, more);
        Cells.updated(part, i, Cells.ADD, v - more, v, t, site);
        return v;
    }

    public static int getAndUpdate(
            AtomicIntegerArray a, int i, IntUnaryOperator with, ThreadState t, int site) {
        Cells.approach(a, i, t, site);
        int v = a.getAndUpdate(i, with);
        Cells.afterwards(a, i, v, v, t, site);
        return v;
    }

    public static int updateAndGet(
            AtomicIntegerArray a, int i, IntUnaryOperator with, ThreadState t, int site) {
        Cells.approach(a, i, t, site);
        int v = a.updateAndGet(i, with);
        Cells.afterwards(a, i, v, v, t, site);
        return v;
    }

    public static int getAndAccumulate(
            AtomicIntegerArray a, int i, int x, IntBinaryOperator with, ThreadState t, int site) {
        Cells.approach(a, i, t, site);
        int v = a.getAndAccumulate(i, x, with);
        Cells.afterwards(a, i, v, v, t, site);
        return v;
    }

    public static int accumulateAndGet(
            AtomicIntegerArray a, int i, int x, IntBinaryOperator with, ThreadState t, int site) {
        Cells.approach(a, i, t, site);
        int v = a.accumulateAndGet(i, x, with);
        Cells.afterwards(a, i, v, v, t, site);
        return v;
    }

    private IntegerArrays() {}
}
