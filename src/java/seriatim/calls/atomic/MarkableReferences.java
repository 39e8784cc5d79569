package seriatim.calls.atomic;

import java.util.concurrent.atomic.AtomicMarkableReference;
import seriatim.calls.Replaces;
import seriatim.run.Cells;
import seriatim.run.ThreadState;

/** References with a mark: both are one variable. */
@Replaces(AtomicMarkableReference.class)
public final class MarkableReferences {
    @SuppressWarnings("unchecked")
    private static AtomicMarkableReference<Object> of(AtomicMarkableReference<?> a) {
        return (AtomicMarkableReference<Object>) a;
    }

    private static long word(Object reference, boolean with) {
        return Cells.word(reference) ^ (with ? 1 : 0);
    }

    public static Object getReference(AtomicMarkableReference<?> a, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, 0, t, site);
        Object v = of(a).getReference();
        Cells.loaded(part, 0, 0, t, site);
        return v;
    }

    public static boolean isMarked(AtomicMarkableReference<?> a, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, 0, t, site);
        boolean v = a.isMarked();
        Cells.loaded(part, 0, 0, t, site);
        return v;
    }

    public static Object get(AtomicMarkableReference<?> a, boolean[] with, ThreadState t, int site) {
        long[] part = Cells.beginLoad(a, 0, t, site);
        Object v = of(a).get(with);
        Cells.loaded(part, 0, word(v, with[0]), t, site);
        return v;
    }

    public static void set(AtomicMarkableReference<?> a, Object next, boolean with, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        of(a).set(next, with);
        Cells.stored(part, 0, word(next, with), t, site);
    }

    public static boolean compareAndSet(AtomicMarkableReference<?> a, Object before, Object next, boolean old, boolean with,
            ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = of(a).compareAndSet(before, next, old, with);
        Cells.compared(part, 0, v, word(before, old), word(next, with), t, site);
        return v;
    }

    public static boolean weakCompareAndSet(AtomicMarkableReference<?> a, Object before, Object next, boolean old, boolean with,
            ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = of(a).weakCompareAndSet(before, next, old, with);
        Cells.compared(part, 0, v, word(before, old), word(next, with), t, site);
        return v;
    }

    public static boolean attemptMark(AtomicMarkableReference<?> a, Object before, boolean with, ThreadState t, int site) {
        long[] part = Cells.begin(a, 0, t, site);
        boolean v = of(a).attemptMark(before, with);
        Cells.updated(part, 0, v ? Cells.EXCHANGE : Cells.FAIL, 0, word(before, with), t, site);
        return v;
    }

    private MarkableReferences() {}
}
