package seriatim.run;

import static seriatim.run.StreamLayout.*;

/** The numbers by which shadow words know threads, and their order (thread_slot.h). */
final class Slots {
    private static final int NOTED = 8;
    private static final long[] nextEpochs = new long[SLOTS];
    private static final int[] free = new int[SLOTS];
    private static int freeCount, usedCount;
    private static final ThreadState[] threads = new ThreadState[SLOTS];
    private static final long[] firsts = new long[SLOTS];
    private static final long[][] notes = new long[SLOTS][];

    /** What the first thread did before it created another one: UINT64_MAX there is MAX here. */
    private static volatile long aloneBefore = Long.MAX_VALUE;

    static void take(ThreadState t) {
        synchronized (free) {
            t.slot = freeCount > 0 ? free[--freeCount] : usedCount < SLOTS ? usedCount++ : SLOTS;
        }
        t.alone = t.slot == 0 && t.serial == 0 && Stream.deferring && isAnybodyAlone();
        if (!t.hasSlot()) {
            t.me = t.current = t.alike = t.since = ThreadState.STALE;
            return;
        }
        if (notes[t.slot] == null)
            notes[t.slot] = new long[2 * NOTED + 1];
        t.base = nextEpochs[t.slot] + 1;
        t.first = t.base << ThreadState.EPOCH_AT;
        Memory.store(firsts, t.slot, t.first);
        t.me = (long) t.slot << ThreadState.SLOT_AT | (long) ThreadState.OWN << ThreadState.STATE_AT;
        t.current = t.alike = t.stretch = t.me | t.base << ThreadState.EPOCH_AT;
        t.since = t.sinceOf();
        Memory.UNSAFE.storeFence();
        threads[t.slot] = t;
    }

    static void give(ThreadState t) {
        if (!t.hasSlot())
            return;
        threads[t.slot] = null;
        synchronized (free) {
            nextEpochs[t.slot] = t.base + t.position;
            free[freeCount++] = t.slot;
        }
    }

    static int count() {
        return usedCount;
    }

    static ThreadState in(int slot) {
        Memory.UNSAFE.loadFence();
        return slot < SLOTS ? threads[slot] : null;
    }

    static long firstOf(int slot) {
        return Memory.load(firsts, slot);
    }

    // ---- the time in which the first thread was alone ----

    private static boolean isAnybodyAlone() {
        return aloneBefore == Long.MAX_VALUE;
    }

    static void endAlone(ThreadState t) {
        if (!isAnybodyAlone())
            return;
        aloneBefore = t.slot == 0 ? ThreadState.epochOf(t.current) : 0;
        t.alone = false;
        t.since = t.sinceOf();
    }

    /** There is a thread whose creation nobody saw. */
    static void endAloneUnseen() {
        if (!isAnybodyAlone())
            return;
        aloneBefore = 0;
        ThreadState first = in(0);
        if (first == null)
            return;
        first.alone = false;
        first.since = ThreadState.STALE;
        Memory.UNSAFE.fullFence();
    }

    static boolean isDead(int slot, long epoch) {
        // How far the watcher is must not matter where a run is to be repeated.
        return (!Turns.ON && epoch < Stream.deadBefore(slot)) || (slot == 0 && epoch < aloneBefore);
    }

    // ---- order ----

    /** A thread has taken a sequence number in its present epoch, which ends with it. */
    static void note(ThreadState t, long sequence) {
        if (!t.hasSlot())
            return;
        long[] list = notes[t.slot];
        int i = (int) (list[2 * NOTED]++ % NOTED);
        Memory.store(list, i, Long.MAX_VALUE);
        Memory.store(list, NOTED + i, ThreadState.epochOf(t.current));
        Memory.store(list, i, sequence);
    }

    static boolean isOrdered(ThreadState t, int slot, long epoch) {
        long[] list = notes[slot];
        for (int i = 0; list != null && i < NOTED; i++) {
            long sequence = Memory.load(list, i);
            long ended = Memory.load(list, NOTED + i);
            if (sequence != 0 && sequence <= t.sequence && ended >= epoch
                    && Memory.load(list, i) == sequence)
                return true;
        }
        return false;
    }

    private Slots() {}
}
