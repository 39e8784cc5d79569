package seriatim.run;

import static seriatim.run.StreamLayout.*;

import java.util.Arrays;
import java.util.concurrent.locks.StampedLock;

/** Synchronisation as events (src/runtime/core/sync_events.c). All of these are silent in a thread
 * in which the agent itself is at work. */
public final class Sync {
    public static final int MUTEX = LOCK_MUTEX, WRITING = LOCK_WRITING, READING = LOCK_READING;
    public static final int SEMAPHORE = LOCK_SEMAPHORE;
    private static final SideTable<Boolean> semaphores = new SideTable<>();

    private static void emit(ThreadState t, int op, int aux, long address, int site,
            boolean learns) {
        t.frames.emitAll();
        Turns.changed(t);
        Writer.takeSequence(t);
        Writer.emit(t, Writer.what(op, aux, address), site == 0 ? 0 : Sites.pc(site));
        Writer.publish(t);
        t.counts = true;
        if (learns)
            t.newEpoch();
        else
            t.newDeferredEpoch();
    }

    private static void about(
            ThreadState t, int op, int aux, Object object, int site, boolean learns) {
        if (t.inside || object == null)
            return;
        if (t.guessing)
            Guesses.emit(t);
        t.inside = true;
        try {
            t.frames.emitAll();
            emit(t, op, aux, Objects.address(t, object), site, learns);
        } finally {
            t.inside = false;
        }
    }

    /** Locks that order nothing are no events. Those that one thread may take and another one give back
     * are, all the same: then they are signals. */
    private static boolean isQuiet(Object lock, int kind) {
        return Stream.quietLocks && kind != SEMAPHORE && !(lock instanceof Synchronizers.Known)
                && !(lock instanceof StampedLock);
    }

    private static boolean isNoted(
            ThreadState t, Object lock, int kind, int site, boolean acquires) {
        if (t.inside || lock == null || !isQuiet(lock, kind))
            return false;
        if (t.guessing)
            Guesses.emit(t);
        t.inside = true;
        try {
            return acquires ? t.locks.hold(t, lock, kind, site) : t.locks.letGo(t, lock, kind);
        } finally {
            t.inside = false;
        }
    }

    public static void acquire(ThreadState t, Object lock, int kind, int site) {
        if (!isNoted(t, lock, kind, site, true))
            about(t, ACQUIRE, kind, lock, site, true);
    }

    public static void release(ThreadState t, Object lock, int kind, int site) {
        if (!isNoted(t, lock, kind, site, false))
            about(t, RELEASE, kind, lock, site, false);
    }

    public static void send(ThreadState t, Object object, int channel, int site) {
        about(t, SEND, channel, object, site, false);
    }

    public static void receive(ThreadState t, Object object, int channel, int site) {
        about(t, RECEIVE, channel, object, site, true);
    }

    /** Emits a semaphore when it is first used, with as many permits as it has then. */
    public static void semaphoreSeen(
            ThreadState t, java.util.concurrent.Semaphore semaphore, int site) {
        if (semaphore == null || t.inside || semaphores.find(semaphore) != null)
            return;
        int permits = Math.max(0, Math.min(semaphore.availablePermits(), 127));
        synchronized (semaphores) {
            if (semaphores.find(semaphore) != null)
                return;
            about(t, SEMAPHORE_MADE, permits, semaphore, site, false);
            semaphores.add(semaphore, true);
        }
    }

    /** The same for one of the program's own. */
    static void semaphore(ThreadState t, Object semaphore, int permits, int site) {
        about(t, SEMAPHORE_MADE, permits, semaphore, site, false);
    }

    /** The thread waits for others here: inferred blocks are split. */
    public static void split(ThreadState t) {
        if (t.inside || t.frames.emitted == 0)
            return;
        t.inside = true;
        try {
            Writer.emit(t, Writer.what(SPLIT, 0, 0), 0);
            Writer.publish(t);
            t.newEpoch();
        } finally {
            t.inside = false;
        }
    }

    static void fork(ThreadState t, int serial, int site) {
        emit(t, FORK, 0, serial, site, false);
        Slots.endAlone(t);
    }

    static void join(ThreadState t, int serial, int site) {
        emit(t, JOIN, 0, serial, site, true);
    }

    /**
     * Classes that are initialised: the end of a static initialiser comes before every use of its class
     * by other threads, as the JVM sees to it. That matters only if the initialiser did something that is
     * emitted (Shadow.java), which is rare; until then a use of a class costs one look.
     *
     * <p>As where C programs do something once (src/runtime/intercept/sync/once.c), inferred blocks are
     * split: by who initialised the class on behalf of all, and by who finds it done meanwhile.
     */
    public static final class Initialisers {
        private static final int CHANNEL = 5; // of the class

        private static final class Done {
            final Class<?> type;
            final ThreadState by;
            final long sequence;

            Done(Class<?> type, ThreadState by) {
                this.type = type;
                this.by = by;
                sequence = by.sequence;
            }
        }

        static boolean any; // who uses a class has seen what its initialiser did, this included
        private static int numbers;
        private static volatile Done[] all = {}; // by number; null: nothing was emitted

        /** A number for a class that has an initialiser, above 0. */
        public static synchronized int newNumber() {
            return ++numbers;
        }

        /** Is an access in an initialiser not emitted? */
        static boolean leavesOut(ThreadState t, long[] part) {
            if (part[0] == 0)
                return true;
            t.emittedInInitialiser = true;
            return false;
        }

        static void end(ThreadState t, int number, Class<?> type, int site) {
            boolean emitted = t.emittedInInitialiser;
            t.emittedInInitialiser &= t.initialising > 0; // that of an inner one is also the outer one's
            if (!emitted || number == 0 || t.inside)
                return;
            Sync.send(t, type, CHANNEL, site);
            keep(number, new Done(type, t));
            Sync.split(t);
        }

        private static synchronized void keep(int number, Done done) {
            Done[] more = Arrays.copyOf(all, Math.max(all.length, number + 1));
            more[number] = done;
            all = more;
            any = true;
        }

        static void use(ThreadState t, int number, int site) {
            Done[] now = all;
            Done done = number < now.length ? now[number] : null;
            if (done == null || done.by == t || t.inside || t.hasUsed(number))
                return;
            if (done.sequence > t.sequence)
                Sync.split(t);
            Sync.receive(t, done.type, CHANNEL, site);
        }

        private Initialisers() {}
    }

    private Sync() {}
}
