package seriatim.calls.atomic;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import seriatim.calls.Replaces;
import seriatim.run.Cells;
import seriatim.run.ThreadState;

/** Arrays of atomic references. */
@Replaces(AtomicReferenceArray.class)
public final class ReferenceArrays {
    @SuppressWarnings("unchecked")
    private static AtomicReferenceArray<Object> of(AtomicReferenceArray<?> a) {
        return (AtomicReferenceArray<Object>) a;
    }

    public static Object get(AtomicReferenceArray<?> a, int i, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, i, t, site);
        Object v = of(a).get(i);
        Cells.loaded(part, i, Cells.word(v), t, site);
        return v;
    }

    public static Object getPlain(AtomicReferenceArray<?> a, int i, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, i, t, site);
        Object v = of(a).getPlain(i);
        Cells.loaded(part, i, Cells.word(v), t, site);
        return v;
    }

    public static Object getOpaque(AtomicReferenceArray<?> a, int i, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, i, t, site);
        Object v = of(a).getOpaque(i);
        Cells.loaded(part, i, Cells.word(v), t, site);
        return v;
    }

    public static Object getAcquire(AtomicReferenceArray<?> a, int i, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, i, t, site);
        Object v = of(a).getAcquire(i);
        Cells.loaded(part, i, Cells.word(v), t, site);
        return v;
    }

    public static void set(AtomicReferenceArray<?> a, int i, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        of(a).set(i, next);
        Cells.stored(part, i, Cells.word(next), t, site);
    }

    public static void lazySet(
            AtomicReferenceArray<?> a, int i, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        of(a).lazySet(i, next);
        Cells.stored(part, i, Cells.word(next), t, site);
    }

    public static void setPlain(
            AtomicReferenceArray<?> a, int i, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        of(a).setPlain(i, next);
        Cells.stored(part, i, Cells.word(next), t, site);
    }

    public static void setOpaque(
            AtomicReferenceArray<?> a, int i, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        of(a).setOpaque(i, next);
        Cells.stored(part, i, Cells.word(next), t, site);
    }

    public static void setRelease(
            AtomicReferenceArray<?> a, int i, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        of(a).setRelease(i, next);
        Cells.stored(part, i, Cells.word(next), t, site);
    }

    public static Object getAndSet(
            AtomicReferenceArray<?> a, int i, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        Object v = of(a).getAndSet(i, next);
        Cells.updated(part, i, Cells.EXCHANGE, Cells.word(v), Cells.word(next), t, site);
        return v;
    }

    public static boolean compareAndSet(
            AtomicReferenceArray<?> a, int i, Object before, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        boolean v = of(a).compareAndSet(i, before, next);
        Cells.compared(part, i, v, Cells.word(before), Cells.word(next), t, site);
        return v;
    }

    public static boolean weakCompareAndSetPlain(
            AtomicReferenceArray<?> a, int i, Object before, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        boolean v = of(a).weakCompareAndSetPlain(i, before, next);
        Cells.compared(part, i, v, Cells.word(before), Cells.word(next), t, site);
        return v;
    }

    public static boolean weakCompareAndSetVolatile(
            AtomicReferenceArray<?> a, int i, Object before, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        boolean v = of(a).weakCompareAndSetVolatile(i, before, next);
        Cells.compared(part, i, v, Cells.word(before), Cells.word(next), t, site);
        return v;
    }

    public static boolean weakCompareAndSetAcquire(
            AtomicReferenceArray<?> a, int i, Object before, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        boolean v = of(a).weakCompareAndSetAcquire(i, before, next);
        Cells.compared(part, i, v, Cells.word(before), Cells.word(next), t, site);
        return v;
    }

    public static boolean weakCompareAndSetRelease(
            AtomicReferenceArray<?> a, int i, Object before, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        boolean v = of(a).weakCompareAndSetRelease(i, before, next);
        Cells.compared(part, i, v, Cells.word(before), Cells.word(next), t, site);
        return v;
    }

    public static Object compareAndExchange(
            AtomicReferenceArray<?> a, int i, Object before, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        Object v = of(a).compareAndExchange(i, before, next);
        Cells.compared(part, i, v == before, Cells.word(before), Cells.word(next), t, site);
        return v;
    }

    public static Object compareAndExchangeAcquire(
            AtomicReferenceArray<?> a, int i, Object before, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        Object v = of(a).compareAndExchangeAcquire(i, before, next);
        Cells.compared(part, i, v == before, Cells.word(before), Cells.word(next), t, site);
        return v;
    }

    public static Object compareAndExchangeRelease(
            AtomicReferenceArray<?> a, int i, Object before, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        Object v = of(a).compareAndExchangeRelease(i, before, next);
        Cells.compared(part, i, v == before, Cells.word(before), Cells.word(next), t, site);
        return v;
    }

    // ---- with a function of the program: it runs first, and again if the reference has changed ----

    private static boolean tried(
            AtomicReferenceArray<?> a, int i, Object before, Object next, ThreadState t, int site) {
        long[] part = Cells.begin(a, i, t, site);
        boolean done = of(a).compareAndSet(i, before, next);
        Cells.tried(part, i, done, Cells.word(before), Cells.word(next), t, site);
        return done;
    }

    public static Object getAndUpdate(
            AtomicReferenceArray<?> a, int i, UnaryOperator<Object> with, ThreadState t, int site) {
        for (;;) {
            Object before = a.get(i), next = with.apply(before);
            if (tried(a, i, before, next, t, site))
                return before;
        }
    }

    public static Object updateAndGet(
            AtomicReferenceArray<?> a, int i, UnaryOperator<Object> with, ThreadState t, int site) {
        for (;;) {
            Object before = a.get(i), next = with.apply(before);
            if (tried(a, i, before, next, t, site))
                return next;
        }
    }

    public static Object getAndAccumulate(
            AtomicReferenceArray<?> a, int i, Object x, BinaryOperator<Object> with, ThreadState t, int site) {
        return getAndUpdate(a, i, before -> with.apply(before, x), t, site);
    }

    public static Object accumulateAndGet(
            AtomicReferenceArray<?> a, int i, Object x, BinaryOperator<Object> with, ThreadState t, int site) {
        return updateAndGet(a, i, before -> with.apply(before, x), t, site);
    }

    private ReferenceArrays() {}
}
