package seriatim.run;

import static seriatim.run.StreamLayout.*;

import jdk.internal.vm.annotation.DontInline;

/** The numbers by which shadow words know threads, and their order (thread_slot.h). */
final class Slots {
    private static final int NOTED = 8;
    private static final long[] nextEpochs = new long[SLOTS];
    private static final int[] free = new int[SLOTS];
    private static int freeCount, usedCount;
    private static final ThreadState[] threads = new ThreadState[SLOTS];
    private static final long[] firsts = new long[SLOTS];
    private static final long[][] notes = new long[SLOTS][];

    /** What the last thread that had the slot noted of its locks, also if it has ended. */
    private static final LockNotes[] locks = new LockNotes[SLOTS];

    /** What the first thread did before it created another one: UINT64_MAX there is MAX here. */
    private static volatile long aloneBefore = Long.MAX_VALUE;

    static void take(ThreadState t) {
        synchronized (free) {
            t.slot = freeCount > 0 ? free[--freeCount] : usedCount < SLOTS ? usedCount++ : SLOTS;
        }
        t.alone = t.slot == 0 && t.serial == 0 && Stream.deferring && isAnybodyAlone();
        if (!t.hasSlot()) {
            t.me = t.current = t.alike = t.since = t.first = ThreadState.STALE;
            return;
        }
        if (notes[t.slot] == null)
            notes[t.slot] = new long[2 * NOTED + 1];
        t.base = nextEpochs[t.slot] + 1;
        t.readerBit = SharedReads.ownBitOf(t.slot);
        t.me = (long) t.slot << ThreadState.SLOT_AT | (long) ThreadState.OWN << ThreadState.STATE_AT;
        t.first = t.current = t.alike = t.stretch = t.me | t.base << ThreadState.EPOCH_AT;
        locks[t.slot] = null; // before it could be taken for that of earlier epochs
        Memory.UNSAFE.storeFence();
        Memory.store(firsts, t.slot, t.first);
        Memory.UNSAFE.storeFence();
        locks[t.slot] = t.locks;
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

    /** Those of the thread that had the slot in that epoch; null: they are not known any more. */
    static LockNotes locksAt(int slot, long epoch) {
        LockNotes there = locks[slot];
        Memory.UNSAFE.loadFence();
        return epoch >= ThreadState.epochOf(firstOf(slot)) ? there : null;
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

    @DontInline
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

/**
 * What a thread has learned of others: on which of their epochs it depends, as the watcher knows.
 * Reads of what they wrote up to then bring nothing new (learned.h has the reasons), and need
 * not be emitted. A thread that is created knows what its creator knew; who joins a thread knows all
 * that it did and knew: the watcher has these two dependences, too, and nothing that was done before
 * them can know of what comes behind them.
 */
final class Learned {
    private static final int SIZE = 64;

    // By slot, modulo their number: the first epoch of the thread that had the slot, and the last one
    // that is known of it, as words.
    private final long[] firsts, lasts;

    Learned() {
        firsts = new long[SIZE];
        lasts = new long[SIZE];
    }

    private Learned(long[] firsts, long[] lasts) {
        this.firsts = firsts;
        this.lasts = lasts;
    }

    boolean has(long word) {
        int i = ThreadState.slotOf(word) % SIZE;
        long last = lasts[i];
        return ((last ^ word) & ThreadState.WHO) == 0 && word >= firsts[i]
                && ThreadState.epochOf(word) <= ThreadState.epochOf(last);
    }

    /** An access of the thread is emitted that depends on this write. */
    void add(ThreadState t, long write) {
        long word = write & ThreadState.WHO_AND_WHEN;
        if (!t.isForeign(word))
            return;
        long first = Slots.firstOf(ThreadState.slotOf(word));
        if (word >= first)
            add(first, word);
    }

    private void add(long first, long word) {
        if (has(word))
            return;
        int i = ThreadState.slotOf(word) % SIZE;
        firsts[i] = from(first, word);
        lasts[i] = word;
    }

    /** What is known up to this one and goes on with it is as one, also if it is of threads that had
     * the slot before. */
    private long from(long first, long word) {
        int i = ThreadState.slotOf(word) % SIZE;
        boolean goesOn = ((lasts[i] ^ word) & ThreadState.WHO) == 0
                && ThreadState.epochOf(lasts[i]) + 1 >= ThreadState.epochOf(first);
        return goesOn ? Math.min(firsts[i], first) : first;
    }

    void add(Learned other) {
        if (other == null)
            return;
        for (int i = 0; i < other.lasts.length; i++)
            if (other.lasts[i] != 0)
                add(other.firsts[i], other.lasts[i]);
    }

    /** All that thread t has learned so far, and has done. Null where it is to have no effect. */
    static Learned upToNow(ThreadState t) {
        if (Turns.ON || !Stream.deferring)
            return null;
        int size = t.hasSlot() ? 1 : 0, count = 0;
        for (long last : t.learned.lasts)
            size += last != 0 ? 1 : 0;
        Learned all = new Learned(new long[size], new long[size]);
        for (int i = 0; i < SIZE; i++)
            if (t.learned.lasts[i] != 0) {
                all.firsts[count] = t.learned.firsts[i];
                all.lasts[count++] = t.learned.lasts[i];
            }
        if (t.hasSlot()) { // the last one: so it goes with what is known of the slot
            long last = t.finished ? t.present() : t.current & ThreadState.WHO_AND_WHEN;
            all.firsts[all.firsts.length - 1] = t.learned.from(t.first, last);
            all.lasts[all.lasts.length - 1] = last;
        }
        return all;
    }
}
