package seriatim.calls.atomic;

import java.util.concurrent.atomic.AtomicBoolean;
import seriatim.calls.Replaces;
import seriatim.run.Cells;
import seriatim.run.ThreadState;

/** Atomic flags. */
@Replaces(AtomicBoolean.class)
public final class Booleans {
    public static boolean get(AtomicBoolean a, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, 0, t, site);
        boolean v = a.get();
        Cells.loaded(part, 0, v ? 1 : 0, t, site);
        return v;
    }

    public static boolean getPlain(AtomicBoolean a, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, 0, t, site);
        boolean v = a.getPlain();
        Cells.loaded(part, 0, v ? 1 : 0, t, site);
        return v;
    }

    public static boolean getOpaque(AtomicBoolean a, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, 0, t, site);
        boolean v = a.getOpaque();
        Cells.loaded(part, 0, v ? 1 : 0, t, site);
        return v;
    }

    public static boolean getAcquire(AtomicBoolean a, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, 0, t, site);
        boolean v = a.getAcquire();
        Cells.loaded(part, 0, v ? 1 : 0, t, site);
        return v;
    }

    public static void set(AtomicBoolean a, boolean next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        a.set(next);
        Cells.stored(part, 0, next ? 1 : 0, t, site);
    }

    public static void lazySet(AtomicBoolean a, boolean next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        a.lazySet(next);
        Cells.stored(part, 0, next ? 1 : 0, t, site);
    }

    public static void setPlain(AtomicBoolean a, boolean next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        a.setPlain(next);
        Cells.stored(part, 0, next ? 1 : 0, t, site);
    }

    public static void setOpaque(AtomicBoolean a, boolean next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        a.setOpaque(next);
        Cells.stored(part, 0, next ? 1 : 0, t, site);
    }

    public static void setRelease(AtomicBoolean a, boolean next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        a.setRelease(next);
        Cells.stored(part, 0, next ? 1 : 0, t, site);
    }

    public static boolean getAndSet(AtomicBoolean a, boolean next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = a.getAndSet(next);
        Cells.updated(part, 0, Cells.EXCHANGE, v ? 1 : 0, next ? 1 : 0, t, site);
        return v;
    }

    public static boolean compareAndSet(
            AtomicBoolean a, boolean before, boolean next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = a.compareAndSet(before, next);
        Cells.compared(part, 0, v, before ? 1 : 0, next ? 1 : 0, t, site);
        return v;
    }

    public static boolean weakCompareAndSetPlain(
            AtomicBoolean a, boolean before, boolean next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = a.weakCompareAndSetPlain(before, next);
        Cells.compared(part, 0, v, before ? 1 : 0, next ? 1 : 0, t, site);
        return v;
    }

    public static boolean weakCompareAndSetVolatile(
            AtomicBoolean a, boolean before, boolean next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = a.weakCompareAndSetVolatile(before, next);
        Cells.compared(part, 0, v, before ? 1 : 0, next ? 1 : 0, t, site);
        return v;
    }

    public static boolean weakCompareAndSetAcquire(
            AtomicBoolean a, boolean before, boolean next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = a.weakCompareAndSetAcquire(before, next);
        Cells.compared(part, 0, v, before ? 1 : 0, next ? 1 : 0, t, site);
        return v;
    }

    public static boolean weakCompareAndSetRelease(
            AtomicBoolean a, boolean before, boolean next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = a.weakCompareAndSetRelease(before, next);
        Cells.compared(part, 0, v, before ? 1 : 0, next ? 1 : 0, t, site);
        return v;
    }

    public static boolean compareAndExchange(
            AtomicBoolean a, boolean before, boolean next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = a.compareAndExchange(before, next);
        Cells.compared(part, 0, v == before, before ? 1 : 0, next ? 1 : 0, t, site);
        return v;
    }

    public static boolean compareAndExchangeAcquire(
            AtomicBoolean a, boolean before, boolean next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = a.compareAndExchangeAcquire(before, next);
        Cells.compared(part, 0, v == before, before ? 1 : 0, next ? 1 : 0, t, site);
        return v;
    }

    public static boolean compareAndExchangeRelease(
            AtomicBoolean a, boolean before, boolean next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = a.compareAndExchangeRelease(before, next);
        Cells.compared(part, 0, v == before, before ? 1 : 0, next ? 1 : 0, t, site);
        return v;
    }

    private Booleans() {}
}
