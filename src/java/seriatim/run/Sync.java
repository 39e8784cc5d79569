package seriatim.run;

import static seriatim.run.StreamLayout.*;

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
            Guesses.tell(t);
        t.inside = true;
        try {
            t.frames.emitAll();
            emit(t, op, aux, Objects.address(t, object), site, learns);
        } finally {
            t.inside = false;
        }
    }

    public static void acquire(ThreadState t, Object lock, int kind, int site) {
        about(t, ACQUIRE, kind, lock, site, true);
    }

    public static void release(ThreadState t, Object lock, int kind, int site) {
        about(t, RELEASE, kind, lock, site, false);
    }

    public static void send(ThreadState t, Object object, int channel, int site) {
        about(t, SEND, channel, object, site, false);
    }

    public static void receive(ThreadState t, Object object, int channel, int site) {
        about(t, RECEIVE, channel, object, site, true);
    }

    /** Tells of a semaphore when it is first used, with as many permits as it has then. */
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

    private Sync() {}
}
