package seriatim.run;

import static seriatim.run.StreamLayout.*;
import static seriatim.run.ThreadState.*;

/**
 * Atomic accesses: volatile fields, and what the classes of java.util.concurrent.atomic hold. The
 * operation and taking its sequence number must be one step: a lock for each part of memory makes
 * them one (src/runtime/tsan/atomics.c).
 */
final class Atomics {
    private static final int STRIPES = 1024, SEQUENTIAL = 5; // the order's number in C11
    private static final long[] stripes = new long[STRIPES * 8];

    /** After so long a thread that holds a stripe has been thrown out of the agent. */
    private static final long PATIENCE = 2_000_000_000L;

    private static int stripeOf(long[] part, int index) {
        return (System.identityHashCode(part) + index * 31 & STRIPES - 1) * 8;
    }

    static void lock(ThreadState t, long[] part, int index) {
        int at = stripeOf(part, index);
        long me = t.serial + 1L, until = 0;
        for (int tries = 1; !Memory.swap(stripes, at, 0, me); tries++) {
            if (tries % 64 != 0)
                continue;
            long now = System.nanoTime(), holder = Memory.load(stripes, at);
            until = until == 0 ? now + PATIENCE : until;
            if (holder == me || (now > until && Memory.swap(stripes, at, holder, me)))
                return;
            Thread.yield();
        }
    }

    static void unlock(long[] part, int index) {
        Memory.store(stripes, stripeOf(part, index), 0);
    }

    /** The operation was done: emits it, and unlocks. */
    static void done(ThreadState t, long[] part, int index, int kind, long before, long after,
            int site) {
        if (t.guessing && kind > ATOMIC_FAIL)
            Guesses.emit(t);
        t.inside = true;
        // An exchange may find what it brings: who does nothing else spins.
        if (kind > ATOMIC_FAIL && (kind != ATOMIC_EXCHANGE || before != after || before == 0))
            Turns.changed(t);
        try {
            if (kind > ATOMIC_FAIL || !isNothingNew(t, part, index))
                lookOrEmit(t, part, index, kind, before, after, site);
        } finally {
            unlock(part, index);
            t.inside = t.looking = false;
        }
    }

    private static boolean isNothingNew(ThreadState t, long[] part, int index) {
        long w = Memory.load(part, Parts.written(part, index));
        return stateOf(w) == SHARED && Memory.load(part, 0) != 0 && t.sinceOf() != STALE
                && t.shared.hasSince(part, index, w, t.current);
    }

    private static void lookOrEmit(ThreadState t, long[] part, int index, int kind, long before,
            long after, int site) {
        if (kind != ATOMIC_LOAD || !Stream.deferringLooks) {
            emit(t, part, index, kind, before, after, site);
            return;
        }
        long w = Memory.load(part, Parts.written(part, index));
        boolean seen = stateOf(w) == SHARED && t.shared.hasSeen(part, index, w);
        if (seen && t.looks.defer(t, part, index, w, site))
            return;
        boolean goesOn = seen && t.looks.areGoingOn(t);
        emit(t, part, index, kind, before, after, site);
        t.looks.note(t, part, index, site, goesOn);
    }

    private static int operationOf(int kind) {
        if (kind <= ATOMIC_FAIL)
            return ATOMIC_READ;
        return kind == ATOMIC_STORE ? ATOMIC_WRITE : ATOMIC_UPDATE;
    }

    private static void emit(ThreadState t, long[] part, int index, int kind, long before,
            long after, int site) {
        boolean write = kind > ATOMIC_FAIL;
        t.frames.emitAll();
        long address = Parts.address(t, part) + Parts.offset(index);
        long w = Memory.load(part, Parts.written(part, index)), r = Shadow.loadRead(part, index);
        boolean again = t.loaded == address && t.loadedAt == t.position
                && t.shared.hasSeen(part, index, w); // what it waits for has not come
        if (t.looking && !write && !again && t.frames.emitted > 0) {
            Writer.emit(t, Writer.what(SPLIT, 0, 0), 0);
            t.newEpoch();
        }
        if (t.isForeign(w) || t.isForeign(r) || stateOf(w) == SHARED)
            Stream.noteMeeting();
        boolean first = t.loaded != address || t.loadedAt != t.position;
        Writer.takeSequence(t);
        Shadow.flushWrite(t, part, index, address, w);
        if (write || stateOf(w) != SHARED) // else nothing is deferred but looks
            Shadow.flushReads(t, part, index, address, w, r);
        Writer.emit(t, Writer.what(operationOf(kind), 8 | WITH_VALUES, address), Sites.pc(site));
        Writer.emit(t, Writer.what(VALUES, kind | SEQUENTIAL << 4, before & (1L << 48) - 1), after);
        Writer.publish(t);
        t.counts = true;
        t.newEpoch();
        if (write || stateOf(w) != SHARED) {
            w = shared(t.sequence);
            Memory.store(part, index, 0);
            Memory.store(part, Parts.written(part, index), w);
        }
        t.shared.keep(part, index, w, site, true);
        if (Stream.rule == RULE_REDUCED || !t.hasSlot())
            return;
        if (write || first)
            t.newEagerEpoch();
        if (!write) {
            t.loaded = address;
            t.loadedAt = t.position;
        }
    }

    private Atomics() {}
}

/**
 * Looks: atomic loads that find nothing new, each in a call of its own, while (!isReady()). The first
 * one stands for all of them: src/runtime/tsan/looks.h says how, and docs/witness.md why. (What a Java
 * thread starts with is not divided into turns, so it needs no care here.)
 */
final class Looks {
    private static final int KEPT = 8;
    private final long[][] parts = new long[KEPT][];
    private final long[] calls = new long[KEPT]; // the innermost method
    private final int[] indexes = new int[KEPT], sites = new int[KEPT], depths = new int[KEPT];
    private int count; // of all that were emitted since they go on
    private long end; // the position after the last one, and after the methods around it were left

    /** Has the thread emitted nothing since but looks, and the methods around them? */
    boolean areGoingOn(ThreadState t) {
        return count > 0 && end == t.position;
    }

    /** The method around one was left, which went on until then. */
    void goOn(ThreadState t) {
        end = t.position;
    }

    private boolean hasSame(ThreadState t, long[] part, int index, int site) {
        for (int i = 0; i < count && i < KEPT; i++)
            if (parts[i] == part && indexes[i] == index && sites[i] == site
                    && depths[i] == t.frames.depth && calls[i] == t.frames.innermostCall())
                return true;
        return false;
    }

    /** Does one before it stand for this? The thread has seen what was written last (w). Then it is
     * deferred. Whoever writes waits meanwhile (Atomics.lock). */
    boolean defer(ThreadState t, long[] part, int index, long w, int site) {
        if (!areGoingOn(t) || !t.hasSlot() || !hasSame(t, part, index, site)
                || !t.frames.boardLook())
            return false;
        t.shared.keep(part, index, w, site, false);
        t.loaded = part[0] + Parts.offset(index);
        t.loadedAt = t.position;
        long bit = SharedReads.bitOf(t.slot);
        for (;;) {
            long r = Memory.load(part, index), then = (stateOf(r) == SHARED ? r : shared(0)) | bit;
            if (then == r || Memory.swap(part, index, r, then))
                return true;
        }
    }

    /** A load was emitted. `goesOn`: areGoingOn() before that, and the thread had seen what it finds. */
    void note(ThreadState t, long[] part, int index, int site, boolean goesOn) {
        if (!goesOn)
            count = 0;
        int i = count++ % KEPT;
        parts[i] = part;
        indexes[i] = index;
        sites[i] = site;
        depths[i] = t.frames.depth;
        calls[i] = t.frames.innermostCall();
        end = t.position;
    }

    /** What ST_STREAM_PC says of a deferred read of a variable that has this word for writes. */
    static int flag(long w) {
        return stateOf(w) == SHARED ? LOOK : 0;
    }
}
