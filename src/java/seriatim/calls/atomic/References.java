package seriatim.calls.atomic;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import seriatim.calls.Replaces;
import seriatim.run.Cells;
import seriatim.run.ThreadState;

/** Atomic references. */
@Replaces(AtomicReference.class)
public final class References {
    @SuppressWarnings("unchecked")
    private static AtomicReference<Object> of(AtomicReference<?> a) {
        return (AtomicReference<Object>) a;
    }

    public static Object get(AtomicReference<?> a, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, 0, t, site);
        Object v = of(a).get();
        Cells.loaded(part, 0, Cells.word(v), t, site);
        return v;
    }

    public static Object getPlain(AtomicReference<?> a, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, 0, t, site);
        Object v = of(a).getPlain();
        Cells.loaded(part, 0, Cells.word(v), t, site);
        return v;
    }

    public static Object getOpaque(AtomicReference<?> a, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, 0, t, site);
        Object v = of(a).getOpaque();
        Cells.loaded(part, 0, Cells.word(v), t, site);
        return v;
    }

    public static Object getAcquire(AtomicReference<?> a, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, 0, t, site);
        Object v = of(a).getAcquire();
        Cells.loaded(part, 0, Cells.word(v), t, site);
        return v;
    }

    public static void set(AtomicReference<?> a, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        of(a).set(next);
        Cells.stored(part, 0, Cells.word(next), t, site);
    }

    public static void lazySet(AtomicReference<?> a, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        of(a).lazySet(next);
        Cells.stored(part, 0, Cells.word(next), t, site);
    }

    public static void setPlain(AtomicReference<?> a, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        of(a).setPlain(next);
        Cells.stored(part, 0, Cells.word(next), t, site);
    }

    public static void setOpaque(AtomicReference<?> a, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        of(a).setOpaque(next);
        Cells.stored(part, 0, Cells.word(next), t, site);
    }

    public static void setRelease(AtomicReference<?> a, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        of(a).setRelease(next);
        Cells.stored(part, 0, Cells.word(next), t, site);
    }

    public static Object getAndSet(AtomicReference<?> a, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        Object v = of(a).getAndSet(next);
        Cells.updated(part, 0, Cells.EXCHANGE, Cells.word(v), Cells.word(next), t, site);
        return v;
    }

    public static boolean compareAndSet(
            AtomicReference<?> a, Object before, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = of(a).compareAndSet(before, next);
        Cells.compared(part, 0, v, Cells.word(before), Cells.word(next), t, site);
        return v;
    }

    public static boolean weakCompareAndSetPlain(
            AtomicReference<?> a, Object before, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = of(a).weakCompareAndSetPlain(before, next);
        Cells.compared(part, 0, v, Cells.word(before), Cells.word(next), t, site);
        return v;
    }

    public static boolean weakCompareAndSetVolatile(
            AtomicReference<?> a, Object before, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = of(a).weakCompareAndSetVolatile(before, next);
        Cells.compared(part, 0, v, Cells.word(before), Cells.word(next), t, site);
        return v;
    }

    public static boolean weakCompareAndSetAcquire(
            AtomicReference<?> a, Object before, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = of(a).weakCompareAndSetAcquire(before, next);
        Cells.compared(part, 0, v, Cells.word(before), Cells.word(next), t, site);
        return v;
    }

    public static boolean weakCompareAndSetRelease(
            AtomicReference<?> a, Object before, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = of(a).weakCompareAndSetRelease(before, next);
        Cells.compared(part, 0, v, Cells.word(before), Cells.word(next), t, site);
        return v;
    }

    public static Object compareAndExchange(
            AtomicReference<?> a, Object before, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        Object v = of(a).compareAndExchange(before, next);
        Cells.compared(part, 0, v == before, Cells.word(before), Cells.word(next), t, site);
        return v;
    }

    public static Object compareAndExchangeAcquire(
            AtomicReference<?> a, Object before, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        Object v = of(a).compareAndExchangeAcquire(before, next);
        Cells.compared(part, 0, v == before, Cells.word(before), Cells.word(next), t, site);
        return v;
    }

    public static Object compareAndExchangeRelease(
            AtomicReference<?> a, Object before, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        Object v = of(a).compareAndExchangeRelease(before, next);
        Cells.compared(part, 0, v == before, Cells.word(before), Cells.word(next), t, site);
        return v;
    }

    // ---- with a function of the program: it runs first, and again if the reference has changed ----

    private static boolean tried(
            AtomicReference<?> a, Object before, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean done = of(a).compareAndSet(before, next);
        Cells.tried(part, 0, done, Cells.word(before), Cells.word(next), t, site);
        return done;
    }

    public static Object getAndUpdate(
            AtomicReference<?> a, UnaryOperator<Object> with, ThreadState t, int site) {
        for (;;) {
            Object before = a.get(), next = with.apply(before);
            if (tried(a, before, next, t, site))
                return before;
        }
    }

    public static Object updateAndGet(
            AtomicReference<?> a, UnaryOperator<Object> with, ThreadState t, int site) {
        for (;;) {
            Object before = a.get(), next = with.apply(before);
            if (tried(a, before, next, t, site))
                return next;
        }
    }

    public static Object getAndAccumulate(
            AtomicReference<?> a, Object x, BinaryOperator<Object> with, ThreadState t, int site) {
        return getAndUpdate(a, before -> with.apply(before, x), t, site);
    }

    public static Object accumulateAndGet(
            AtomicReference<?> a, Object x, BinaryOperator<Object> with, ThreadState t, int site) {
        return updateAndGet(a, before -> with.apply(before, x), t, site);
    }

    private References() {}
}
