package seriatim.calls.atomic;

import java.util.concurrent.atomic.AtomicStampedReference;
import seriatim.calls.Replaces;
import seriatim.run.Cells;
import seriatim.run.ThreadState;

/** References with a stamp: both are one variable. */
@Replaces(AtomicStampedReference.class)
public final class StampedReferences {
    @SuppressWarnings("unchecked")
    private static AtomicStampedReference<Object> of(AtomicStampedReference<?> a) {
        return (AtomicStampedReference<Object>) a;
    }

    private static long word(Object reference, int with) {
        return Cells.word(reference) ^ with;
    }

    public static Object getReference(AtomicStampedReference<?> a, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, 0, t, site);
        Object v = of(a).getReference();
        Cells.loaded(part, 0, 0, t, site);
        return v;
    }

    public static int getStamp(AtomicStampedReference<?> a, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, 0, t, site);
        int v = a.getStamp();
        Cells.loaded(part, 0, 0, t, site);
        return v;
    }

    public static Object get(AtomicStampedReference<?> a, int[] with, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, 0, t, site);
        Object v = of(a).get(with);
        Cells.loaded(part, 0, word(v, with[0]), t, site);
        return v;
    }

    public static void set(AtomicStampedReference<?> a, Object next, int with, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        of(a).set(next, with);
        Cells.stored(part, 0, word(next, with), t, site);
    }

    public static boolean compareAndSet(AtomicStampedReference<?> a, Object before, Object next, int old, int with,
            ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = of(a).compareAndSet(before, next, old, with);
        Cells.compared(part, 0, v, word(before, old), word(next, with), t, site);
        return v;
    }

    public static boolean weakCompareAndSet(AtomicStampedReference<?> a, Object before, Object next, int old, int with,
            ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = of(a).weakCompareAndSet(before, next, old, with);
        Cells.compared(part, 0, v, word(before, old), word(next, with), t, site);
        return v;
    }

    public static boolean attemptStamp(AtomicStampedReference<?> a, Object before, int with, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = of(a).attemptStamp(before, with);
        Cells.updated(part, 0, v ? Cells.EXCHANGE : Cells.FAIL, 0, word(before, with), t, site);
        return v;
    }

    private StampedReferences() {}
}
