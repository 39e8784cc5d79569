package seriatim.calls;

import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import seriatim.run.Handles;
import seriatim.run.ThreadState;

/** Fields that are accessed by updaters; cmake/java-agent makes those of ints from this file. */
@Replaces(AtomicLongFieldUpdater.class)
public final class LongUpdaters {
    @SuppressWarnings("unchecked")
    private static AtomicLongFieldUpdater<Object> of(AtomicLongFieldUpdater<?> updater) {
        return (AtomicLongFieldUpdater<Object>) updater;
    }

    private static int kindOf(String name) {
        return Handles.kindOf(name);
    }

    public static long get(
            AtomicLongFieldUpdater<?> updater, Object object, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        long v = of(updater).get(object);
        Handles.done(kindOf("get"), t, site);
        return v;
    }

    public static void set(
            AtomicLongFieldUpdater<?> updater, Object object, long next, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        of(updater).set(object, next);
        Handles.done(kindOf("set"), t, site);
    }

    public static void lazySet(
            AtomicLongFieldUpdater<?> updater, Object object, long next, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        of(updater).lazySet(object, next);
        Handles.done(kindOf("set"), t, site);
    }

    public static boolean compareAndSet(
            AtomicLongFieldUpdater<?> updater, Object object, long before, long next, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        boolean done = of(updater).compareAndSet(object, before, next);
        Handles.compared(done, t, site);
        return done;
    }

    public static boolean weakCompareAndSet(
            AtomicLongFieldUpdater<?> updater, Object object, long before, long next, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        boolean done = of(updater).weakCompareAndSet(object, before, next);
        Handles.compared(done, t, site);
        return done;
    }

    public static long getAndSet(
            AtomicLongFieldUpdater<?> updater, Object object, long next, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        long v = of(updater).getAndSet(object, next);
        Handles.done(kindOf("getAndSet"), t, site);
        return v;
    }

    public static long getAndIncrement(
            AtomicLongFieldUpdater<?> updater, Object object, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        long v = of(updater).getAndIncrement(object);
        Handles.done(kindOf("getAndIncrement"), t, site);
        return v;
    }

    public static long getAndDecrement(
            AtomicLongFieldUpdater<?> updater, Object object, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        long v = of(updater).getAndDecrement(object);
        Handles.done(kindOf("getAndDecrement"), t, site);
        return v;
    }

    public static long incrementAndGet(
            AtomicLongFieldUpdater<?> updater, Object object, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        long v = of(updater).incrementAndGet(object);
        Handles.done(kindOf("incrementAndGet"), t, site);
        return v;
    }

    public static long decrementAndGet(
            AtomicLongFieldUpdater<?> updater, Object object, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        long v = of(updater).decrementAndGet(object);
        Handles.done(kindOf("decrementAndGet"), t, site);
        return v;
    }

    public static long getAndAdd(
            AtomicLongFieldUpdater<?> updater, Object object, long more, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        long v = of(updater).getAndAdd(object, more);
        Handles.done(kindOf("getAndAdd"), t, site);
        return v;
    }

    public static long addAndGet(
            AtomicLongFieldUpdater<?> updater, Object object, long more, ThreadState t, int site) {
        Handles.begin(updater, object, 0, t, site);
        long v = of(updater).addAndGet(object, more);
        Handles.done(kindOf("addAndGet"), t, site);
        return v;
    }

    // ---- with a function of the program: it runs first, and again if the field has changed ----

    private static boolean tried(AtomicLongFieldUpdater<?> updater, Object object, long before, long next, ThreadState t,
            int site) {
        Handles.begin(updater, object, 0, t, site);
        boolean done = of(updater).compareAndSet(object, before, next);
        Handles.tried(done, t, site);
        return done;
    }

    public static long getAndUpdate(AtomicLongFieldUpdater<?> updater, Object object,
            LongUnaryOperator with, ThreadState t, int site) {
        for (;;) {
            long before = of(updater).get(object), next = with.applyAsLong(before);
            if (tried(updater, object, before, next, t, site))
                return before;
        }
    }

    public static long updateAndGet(AtomicLongFieldUpdater<?> updater, Object object,
            LongUnaryOperator with, ThreadState t, int site) {
        for (;;) {
            long before = of(updater).get(object), next = with.applyAsLong(before);
            if (tried(updater, object, before, next, t, site))
                return next;
        }
    }

    public static long getAndAccumulate(AtomicLongFieldUpdater<?> updater, Object object, long x,
            LongBinaryOperator with, ThreadState t, int site) {
        return getAndUpdate(updater, object, before -> with.applyAsLong(before, x), t, site);
    }

    public static long accumulateAndGet(AtomicLongFieldUpdater<?> updater, Object object, long x,
            LongBinaryOperator with, ThreadState t, int site) {
        return updateAndGet(updater, object, before -> with.applyAsLong(before, x), t, site);
    }

    private LongUpdaters() {}
}
