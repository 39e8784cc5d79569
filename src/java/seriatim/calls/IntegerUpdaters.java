package seriatim.calls;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import seriatim.run.Handles;
import seriatim.run.ThreadState;

/** Fields that are accessed by updaters. */
@Replaces(AtomicIntegerFieldUpdater.class)
public final class IntegerUpdaters {
    @SuppressWarnings("unchecked")
    private static AtomicIntegerFieldUpdater<Object> of(AtomicIntegerFieldUpdater<?> updater) {
        return (AtomicIntegerFieldUpdater<Object>) updater;
    }

    private static int kindOf(String name) {
        return Handles.kindOf(name);
    }

    public static int get(
            AtomicIntegerFieldUpdater<?> updater, Object object, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        int v = of(updater).get(object);
        Handles.done(kindOf("get"), t, site);
        return v;
    }

    public static void set(
            AtomicIntegerFieldUpdater<?> updater, Object object, int next, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        of(updater).set(object, next);
        Handles.done(kindOf("set"), t, site);
    }

    public static void lazySet(
            AtomicIntegerFieldUpdater<?> updater, Object object, int next, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        of(updater).lazySet(object, next);
        Handles.done(kindOf("set"), t, site);
    }

    public static boolean compareAndSet(
            AtomicIntegerFieldUpdater<?> updater, Object object, int before, int next, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        boolean done = of(updater).compareAndSet(object, before, next);
        Handles.compared(done, t, site);
        return done;
    }

    public static boolean weakCompareAndSet(
            AtomicIntegerFieldUpdater<?> updater, Object object, int before, int next, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        boolean done = of(updater).weakCompareAndSet(object, before, next);
        Handles.compared(done, t, site);
        return done;
    }

    public static int getAndSet(
            AtomicIntegerFieldUpdater<?> updater, Object object, int next, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        int v = of(updater).getAndSet(object, next);
        Handles.done(kindOf("getAndSet"), t, site);
        return v;
    }

    public static int getAndIncrement(
            AtomicIntegerFieldUpdater<?> updater, Object object, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        int v = of(updater).getAndIncrement(object);
        Handles.done(kindOf("getAndIncrement"), t, site);
        return v;
    }

    public static int getAndDecrement(
            AtomicIntegerFieldUpdater<?> updater, Object object, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        int v = of(updater).getAndDecrement(object);
        Handles.done(kindOf("getAndDecrement"), t, site);
        return v;
    }

    public static int incrementAndGet(
            AtomicIntegerFieldUpdater<?> updater, Object object, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        int v = of(updater).incrementAndGet(object);
        Handles.done(kindOf("incrementAndGet"), t, site);
        return v;
    }

    public static int decrementAndGet(
            AtomicIntegerFieldUpdater<?> updater, Object object, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        int v = of(updater).decrementAndGet(object);
        Handles.done(kindOf("decrementAndGet"), t, site);
        return v;
    }

    public static int getAndAdd(
            AtomicIntegerFieldUpdater<?> updater, Object object, int more, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        int v = of(updater).getAndAdd(object, more);
        Handles.done(kindOf("getAndAdd"), t, site);
        return v;
    }

    public static int addAndGet(
            AtomicIntegerFieldUpdater<?> updater, Object object, int more, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        int v = of(updater).addAndGet(object, more);
        Handles.done(kindOf("addAndGet"), t, site);
        return v;
    }

    private IntegerUpdaters() {}
}
