package seriatim.calls.atomic;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import seriatim.calls.Replaces;
import seriatim.run.Handles;
import seriatim.run.ThreadState;

/** Fields that are accessed by updaters. */
@Replaces(AtomicReferenceFieldUpdater.class)
public final class ReferenceUpdaters {
    @SuppressWarnings("unchecked")
    private static AtomicReferenceFieldUpdater<Object, Object> of(AtomicReferenceFieldUpdater<?, ?> updater) {
        return (AtomicReferenceFieldUpdater<Object, Object>) updater;
    }

    private static int kindOf(String name) {
        return Handles.kindOf(name);
    }

    public static Object get(
            AtomicReferenceFieldUpdater<?, ?> updater, Object object, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        Object v = of(updater).get(object);
        Handles.done(kindOf("get"), t, site);
        return v;
    }

    public static void set(
            AtomicReferenceFieldUpdater<?, ?> updater, Object object, Object next, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        of(updater).set(object, next);
        Handles.done(kindOf("set"), t, site);
    }

    public static void lazySet(
            AtomicReferenceFieldUpdater<?, ?> updater, Object object, Object next, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        of(updater).lazySet(object, next);
        Handles.done(kindOf("set"), t, site);
    }

    public static boolean compareAndSet(
            AtomicReferenceFieldUpdater<?, ?> updater, Object object, Object before, Object next, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        boolean done = of(updater).compareAndSet(object, before, next);
        Handles.compared(done, t, site);
        return done;
    }

    public static boolean weakCompareAndSet(
            AtomicReferenceFieldUpdater<?, ?> updater, Object object, Object before, Object next, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        boolean done = of(updater).weakCompareAndSet(object, before, next);
        Handles.compared(done, t, site);
        return done;
    }

    public static Object getAndSet(
            AtomicReferenceFieldUpdater<?, ?> updater, Object object, Object next, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        Object v = of(updater).getAndSet(object, next);
        Handles.done(kindOf("getAndSet"), t, site);
        return v;
    }

    // ---- with a function of the program: it runs first, and again if the field has changed ----

    private static boolean tried(AtomicReferenceFieldUpdater<?, ?> updater, Object object, Object before, Object next, ThreadState t,
            int site) {
        Handles.begin(updater, object, 0, t, site);
        boolean done = of(updater).compareAndSet(object, before, next);
        Handles.tried(done, t, site);
        return done;
    }

    public static Object getAndUpdate(AtomicReferenceFieldUpdater<?, ?> updater, Object object,
            UnaryOperator<Object> with, ThreadState t, int site) {
        for (;;) {
            Object before = of(updater).get(object), next = with.apply(before);
            if (tried(updater, object, before, next, t, site))
                return before;
        }
    }

    public static Object updateAndGet(AtomicReferenceFieldUpdater<?, ?> updater, Object object,
            UnaryOperator<Object> with, ThreadState t, int site) {
        for (;;) {
            Object before = of(updater).get(object), next = with.apply(before);
            if (tried(updater, object, before, next, t, site))
                return next;
        }
    }

    public static Object getAndAccumulate(AtomicReferenceFieldUpdater<?, ?> updater, Object object, Object x,
            BinaryOperator<Object> with, ThreadState t, int site) {
        return getAndUpdate(updater, object, before -> with.apply(before, x), t, site);
    }

    public static Object accumulateAndGet(AtomicReferenceFieldUpdater<?, ?> updater, Object object, Object x,
            BinaryOperator<Object> with, ThreadState t, int site) {
        return updateAndGet(updater, object, before -> with.apply(before, x), t, site);
    }

    private ReferenceUpdaters() {}
}
