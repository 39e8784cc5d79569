package seriatim.run;

import static seriatim.control.ControlLayout.*;

import java.lang.reflect.Method;

/**
 * Synchronizers of the program's own: classes that extend AbstractQueuedSynchronizer, or that with a
 * long, and say in tryAcquire, tryRelease and their shared likes what their number stands for. What
 * these methods do is how a lock is made, and not emitted, as the inside of a ReentrantLock is not.
 * What they answer is emitted, whoever called them:
 *
 * <ul>
 * <li>Exclusive: true from tryAcquire is an acquire, if the thread does not hold it already; true from
 *     tryRelease, which means that nobody holds it now, is a release. If a thread releases what
 *     another one holds, it is a signal from then on.
 * <li>Shared, in a class that is also exclusive: the lock for readers.
 * <li>Shared, and who acquires changes the number: a semaphore, with one permit more than what
 *     tryAcquireShared says is left.
 * <li>Shared, and who acquires only looks: a latch. Each release is a signal, and who has waited for
 *     it receives it.
 * </ul>
 */
public final class Synchronizers {
    public static final int ACQUIRE = 0, RELEASE = 1, ACQUIRE_SHARED = 2, RELEASE_SHARED = 3, ASK = 4;

    private static final int MOST_PERMITS = 127;

    /** After so long a thread that is about to release has been thrown out of the agent. */
    private static final long PATIENCE = 2_000_000_000L;

    private static final SideTable<Known> table = new SideTable<>();

    /** What is known of one. It stands for the object in the stream, whose monitor is another lock. */
    static final class Known {
        final String name;
        final boolean exclusive, shared;
        volatile ThreadState owner, releasing;
        volatile int permits; // of a semaphore; 0: it is none, or that is not known yet
        volatile boolean signals, sent;

        Known(Class<?> type) {
            name = type.getTypeName();
            exclusive = has(type, "tryAcquire");
            shared = has(type, "tryAcquireShared");
        }

        /** The kind of lock that its exclusive side is. */
        int kind() {
            return signals ? Sync.SEMAPHORE : shared ? Sync.WRITING : Sync.MUTEX;
        }
    }

    /** Does the class, or one above it that is not of the JDK, have such a method? */
    private static boolean has(Class<?> type, String name) {
        for (Class<?> at = type; at != null && at.getClassLoader() != null; at = at.getSuperclass())
            for (Method method : at.getDeclaredMethods())
                if (method.getName().equals(name) && method.getParameterCount() == 1)
                    return true;
        return false;
    }

    private static Known of(Object synchronizer) {
        Known known = table.find(synchronizer);
        return known != null ? known : table.add(synchronizer, new Known(synchronizer.getClass()));
    }

    // ---- the methods of the program ----

    /** At the beginning of one of them; end() follows, or fail(). They may call each other. */
    public static void begin(Object synchronizer, int operation) {
        ThreadState t = ThreadState.get();
        if (t.trying++ > 0)
            return;
        t.tries = !t.inside;
        if (!t.tries)
            return;
        t.inside = true;
        Known known = of(synchronizer);
        t.inside = false;
        before(known, operation, t);
        t.own = ThreadState.STALE;
        t.changed = false;
        t.inside = true;
    }

    private static boolean ends(ThreadState t) {
        if (--t.trying > 0 || !t.tries)
            return false;
        t.inside = false;
        return true;
    }

    /** It said so, or, if it is a shared one, that so many may still acquire it. */
    public static void end(int answer, Object synchronizer, int operation) {
        ThreadState t = ThreadState.get();
        if (ends(t))
            after(of(synchronizer), operation, answer, t);
    }

    /** It threw something. */
    public static void fail(Object synchronizer, int operation) {
        ThreadState t = ThreadState.get();
        if (ends(t) && operation == RELEASE)
            released(of(synchronizer), false, t);
    }

    private static void before(Known known, int operation, ThreadState t) {
        switch (operation) {
            case ACQUIRE:
                Turns.point(AT_LOCK, known, t, t.site);
                break;
            case ACQUIRE_SHARED:
                Turns.point(known.exclusive ? AT_READ_LOCK : AT_SEM_WAIT, known, t, t.site);
                break;
            case RELEASE:
                Turns.point(AT_UNLOCK, known, t, t.site);
                if (known.owner == t)
                    known.releasing = t;
                else
                    signal(known, t);
                break;
            case RELEASE_SHARED:
                Turns.point(AT_SEM_POST, known, t, t.site);
                releaseShared(known, t);
                break;
            default:
        }
    }

    private static void after(Known known, int operation, int answer, ThreadState t) {
        if (operation == ACQUIRE && answer > 0)
            acquired(known, t);
        else if (operation == ACQUIRE_SHARED && answer >= 0)
            acquiredShared(known, answer, t);
        else if (operation == RELEASE)
            released(known, answer > 0, t);
    }

    // ---- exclusive ----

    private static void acquired(Known known, ThreadState t) {
        if (known.owner == t)
            return; // once more
        awaitRelease(known, t);
        if (t.waitsAtCondition)
            Sync.split(t);
        t.waitsAtCondition = false;
        receive(known, t);
        Sync.acquire(t, known, known.kind(), t.site);
        known.owner = t;
    }

    /** Who had it last has said that nobody holds it, but may not have emitted that yet. */
    private static void awaitRelease(Known known, ThreadState t) {
        long until = 0;
        for (int tries = 1; known.releasing != null && known.releasing != t; tries++) {
            if (tries % 64 != 0)
                continue;
            long now = System.nanoTime();
            until = until == 0 ? now + PATIENCE : until;
            if (now > until)
                return;
            Thread.yield();
        }
    }

    /** Only now it is known whether that was the last release of those that are to come. */
    private static void released(Known known, boolean wholly, ThreadState t) {
        if (known.releasing != t)
            return;
        if (wholly) {
            Sync.release(t, known, known.kind(), t.site);
            known.owner = null;
        }
        known.releasing = null;
    }

    /** Somebody releases it who does not hold it: from now on it is a signal. */
    private static void signal(Known known, ThreadState t) {
        synchronized (known) {
            if (!known.signals)
                Sync.semaphore(t, known, 0, t.site);
            known.signals = true;
        }
        known.owner = null;
        Sync.release(t, known, Sync.SEMAPHORE, t.site);
    }

    // ---- shared ----

    private static void acquiredShared(Known known, int left, ThreadState t) {
        if (!t.changed) {
            look(known, t);
        } else if (known.exclusive) {
            awaitRelease(known, t);
            receive(known, t);
            Sync.acquire(t, known, Sync.READING, t.site);
        } else if (known.sent && known.permits == 0) { // it was released before anybody acquired it
            Sync.split(t);
            receive(known, t);
        } else {
            if (left + 1 > known.permits)
                make(known, left + 1, t);
            receive(known, t);
            Sync.acquire(t, known, Sync.SEMAPHORE, t.site);
        }
    }

    private static void make(Known known, int permits, ThreadState t) {
        synchronized (known) {
            if (permits > known.permits)
                Sync.semaphore(t, known, Math.min(permits, MOST_PERMITS), t.site);
            known.permits = Math.max(permits, known.permits);
        }
    }

    /** Who has waited for a latch goes on with what others have done. */
    private static void look(Known known, ThreadState t) {
        if (t.waitsForLatch)
            Sync.split(t);
        if (known.exclusive) { // for whoever had it
            awaitRelease(known, t);
            Sync.acquire(t, known, Sync.READING, t.site);
            Sync.release(t, known, Sync.READING, t.site);
        }
        receive(known, t);
    }

    private static void releaseShared(Known known, ThreadState t) {
        if (known.exclusive)
            Sync.release(t, known, Sync.READING, t.site);
        else if (known.permits > 0)
            Sync.release(t, known, Sync.SEMAPHORE, t.site);
        else
            send(known, t);
    }

    private static void send(Known known, ThreadState t) {
        known.sent = true;
        Sync.send(t, known, 0, t.site);
    }

    private static void receive(Known known, ThreadState t) {
        if (known.sent)
            Sync.receive(t, known, 0, t.site);
    }

    // ---- the number ----

    /** In one of the methods above, after the number was set, or not. */
    public static void changed(boolean yes) {
        ThreadState t = ThreadState.get();
        t.changed |= yes;
    }

    /** Elsewhere: before it is set. */
    public static void setting(Object synchronizer, ThreadState t) {
        Known known = t.inside ? null : of(synchronizer);
        if (known != null && known.owner != t)
            send(known, t);
    }

    /** After it was looked at, or perhaps set. As in `if (compareAndSetState(0, 1))`, for who finds it free and
     * does not want to wait for its turn. */
    public static void looked(Object synchronizer, ThreadState t) {
        if (!t.inside)
            receive(of(synchronizer), t);
    }

    public static void compared(boolean done, Object synchronizer, long before, ThreadState t) {
        if (t.inside)
            return;
        Known known = of(synchronizer);
        if (done && before == 0 && known.exclusive)
            acquired(known, t);
        else
            receive(known, t);
    }

    // ---- conditions ----

    /** Is it one of these? Then waiting at its condition releases and acquires it by its methods. */
    public static boolean isKnown(Object synchronizer) {
        return table.find(synchronizer) != null;
    }

    /** Who holds it, if that is known, and takes turns with others. */
    static seriatim.control.Runner ownerOf(Object synchronizer) {
        Known known = table.find(synchronizer);
        ThreadState owner = known == null ? null : known.owner;
        return owner == null ? null : owner.runner;
    }

    private Synchronizers() {}
}
