package seriatim.calls.atomic;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
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

    private ReferenceUpdaters() {}
}
