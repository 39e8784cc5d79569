package seriatim.run;

import static seriatim.run.StreamLayout.*;

import jdk.internal.vm.annotation.DontInline;

/**
 * Locks that a thread holds, where locks make no order (src/runtime/deferred/lock_notes.c has the
 * whole story): most critical sections are no events then. The thread notes what it holds, and emits
 * that before an event of its own if it has changed; who emits a deferred access of another thread
 * says which locks that one held then. Each section begins an epoch when it begins and when it ends,
 * so the accesses of one epoch were made under the same locks. These epochs are alike: an access that
 * repeats one from before is left out, and what is reported is the earlier one, with its locks.
 *
 * <p>Others look into these arrays while the thread goes on. BEGUN guards the rest of a section.
 */
final class LockNotes {
    private static final int MOST_HELD = 16, OVER = 512, FIELDS = 8, TRIES = 32;

    // Of a section: its first epoch, as a word; of one that is over, the first epoch after it; the lock's
    // address; where it was taken, and how many frames were open; what kind of lock, and whether no
    // other was held when it ended; `begun` of the innermost frame; a sequence number behind the lock's name;
    // a hash of the calls around it.
    private static final int BEGUN = 0, ENDED = 1, LOCK = 2, WHERE = 3, HOW = 4, FRAME = 5, NAMED = 6, PATH = 7;

    private static final long LAST = 1 << 8;

    /** Sections that have begun, the first one first, and their locks; a ring of those that are over. */
    private long[] held = {};

    private final Object[] locks = new Object[MOST_HELD];
    private int heldCount;
    private long[] over = {};
    private int overCount;

    /** What was emitted last: the locks, where they were taken, and in which calls. */
    private final long[] emitted = new long[3 * MOST_HELD];

    private int emittedCount;
    private final LeftFrames left; // of the same thread
    private long[] found; // sections that were held at once, and room for one that was not

    LockNotes(LeftFrames left) {
        this.left = left;
    }

    // ---- what is noted ----

    private static void set(long[] to, int place, long[] from, int section) {
        int at = place * FIELDS, source = section * FIELDS;
        long begun = from[source + BEGUN];
        Memory.store(to, at + BEGUN, 0);
        Memory.UNSAFE.storeFence();
        for (int i = BEGUN + 1; i < FIELDS; i++)
            to[at + i] = from[source + i];
        Memory.store(to, at + BEGUN, begun);
    }

    /** Of another thread, which may change it: then false, or if it is of another slot. */
    private static boolean copy(long[] from, int section, int slot, long[] to, int place) {
        int at = section * FIELDS, target = place * FIELDS;
        if (at >= from.length)
            return false;
        long begun = Memory.load(from, at + BEGUN);
        if (begun == 0 || ThreadState.slotOf(begun) != slot)
            return false;
        for (int i = BEGUN + 1; i < FIELDS; i++)
            to[target + i] = from[at + i];
        to[target + BEGUN] = begun;
        Memory.UNSAFE.loadFence();
        return Memory.load(from, at + BEGUN) == begun;
    }

    /** After a lock was taken. False: it has to be emitted as an event. */
    boolean hold(ThreadState t, Object lock, int kind, int site) {
        if (!t.hasSlot() || heldCount == MOST_HELD)
            return false;
        t.frames.boardAll(); // methods that only take a lock count as executed, too
        long address = Objects.address(t, lock);
        t.passEpoch();
        if (held.length == 0)
            held = new long[MOST_HELD * FIELDS];
        int n = heldCount, at = n * FIELDS;
        Memory.store(held, at + BEGUN, 0);
        Memory.UNSAFE.storeFence();
        held[at + LOCK] = address;
        held[at + WHERE] = site | (long) t.frames.depth << 32;
        held[at + HOW] = kind;
        held[at + FRAME] = t.frames.innermostBegun();
        held[at + NAMED] = t.sequence;
        held[at + PATH] = t.frames.path();
        Memory.store(held, at + BEGUN, t.current);
        locks[n] = lock;
        Memory.UNSAFE.storeFence();
        heldCount = n + 1;
        Memory.UNSAFE.storeFence(); // before there are words of this epoch
        t.holdsChanged = true;
        return true;
    }

    /** Before it is given back. False: nothing is noted of it, so that has to be emitted. */
    boolean letGo(ThreadState t, Object lock, int kind) {
        int i = heldCount - 1;
        while (i >= 0 && (locks[i] != lock || (int) held[i * FIELDS + HOW] != kind))
            i--;
        if (i < 0)
            return false;
        t.frames.boardAll();
        t.passEpoch();
        if (!t.alone) // what it accessed is never emitted
            noteOver(t, i);
        for (; i + 1 < heldCount; i++) {
            set(held, i, held, i + 1);
            locks[i] = locks[i + 1];
        }
        locks[--heldCount] = null;
        Memory.UNSAFE.storeFence();
        t.holdsChanged = true;
        return true;
    }

    private void noteOver(ThreadState t, int section) {
        if (over.length == 0)
            over = new long[OVER * FIELDS];
        int at = section * FIELDS, place = (overCount & OVER - 1) * FIELDS;
        long begun = held[at + BEGUN];
        Memory.store(over, place + BEGUN, 0);
        Memory.UNSAFE.storeFence();
        over[place + ENDED] = ThreadState.epochOf(t.current);
        for (int i = LOCK; i < FIELDS; i++)
            over[place + i] = held[at + i];
        if (heldCount == 1)
            over[place + HOW] |= LAST;
        Memory.store(over, place + BEGUN, begun);
        Memory.UNSAFE.storeFence();
        overCount++;
    }

    // ---- emitting ----

    /** No epoch passes. */
    private static void put(ThreadState t, int op, int aux, long address, long argument) {
        Writer.put(t, Writer.what(op, aux, address), argument);
        t.base--;
    }

    /** In which methods the lock was taken that the watcher has not heard of. */
    private void putCallers(ThreadState t, long begun) {
        int slot = ThreadState.slotOf(begun);
        long epoch = ThreadState.epochOf(begun);
        long[] calls = new long[2 * Frames.MOST_CALLED];
        int open = slot == t.slot ? 0 : Frames.openIn(Slots.in(slot), slot, epoch, calls);
        long after = open == 0 ? 0 : calls[2 * open - 1];
        int count = open + left.callsAt(slot, epoch, after, calls, open);
        put(t, SINCE, count + open, 0, slot | epoch << 16);
        for (int i = 0; i < count; i++) {
            int from = (int) calls[2 * i];
            put(t, CALLER, i < open ? 1 : 0, from == 0 ? 0 : Sites.pc(from),
                    Sites.pc(Frames.functionOf(calls[2 * i])));
            if (i < open)
                put(t, BOARDED_AT, 0, 0, slot | calls[2 * i + 1] << 16);
        }
    }

    /** `here`: it was taken in the innermost method that the watcher knows of. */
    private void putSection(
            ThreadState t, int op, long[] list, int section, int aux, boolean here) {
        int at = section * FIELDS, site = (int) list[at + WHERE];
        put(t, op, aux | (int) list[at + HOW] & HOLDS_KIND | (here ? 0 : HOLDS_SINCE),
                list[at + LOCK], site == 0 ? 0 : Sites.pc(site));
        if (!here)
            putCallers(t, list[at + BEGUN]);
    }

    static void putNone(ThreadState t) {
        put(t, HOLDS, HOLDS_NOTHING, 0, 0);
    }

    private boolean isEmitted(long[] list, int count) {
        if (emittedCount != count)
            return false;
        for (int i = 0; i < count; i++)
            if (emitted[3 * i] != list[i * FIELDS + LOCK]
                    || emitted[3 * i + 1] != (int) list[i * FIELDS + WHERE]
                    || emitted[3 * i + 2] != list[i * FIELDS + PATH])
                return false;
        return true;
    }

    private void putHolds(ThreadState t, long[] list, int count, boolean now) {
        if (count == 0)
            putNone(t);
        for (int i = 0; i < count; i++) {
            int at = i * FIELDS;
            boolean here = now && list[at + WHERE] >>> 32 == t.frames.depth
                    && list[at + FRAME] == t.frames.innermostBegun();
            putSection(t, HOLDS, list, i, i > 0 ? HOLDS_TOO : 0, here);
            emitted[3 * i] = list[at + LOCK];
            emitted[3 * i + 1] = (int) list[at + WHERE];
            emitted[3 * i + 2] = list[at + PATH];
        }
        emittedCount = count;
    }

    /** Which locks the thread holds now. All methods that are open are emitted. */
    @DontInline
    void emitNow(ThreadState t) {
        t.holdsChanged = false;
        if (!isEmitted(held, heldCount))
            putHolds(t, held, heldCount, true);
    }

    /** Those that it held in that epoch. What this returns goes into an ENTER behind it. */
    int emitAt(ThreadState t, long epoch) {
        long[] list = found();
        int count = isFreeAt(epoch) ? 0 : find(t.slot, epoch, list);
        count = Math.max(0, count); // what is forgotten is left out
        if (isEmitted(list, count))
            return 0;
        if (count > 0)
            putHolds(t, list, count, false);
        emittedCount = count;
        return count > 0 ? 0 : LOCK_FREE;
    }

    /** Those that the slot's thread held in that epoch, for the deferred access that t emits next. */
    static void emitHeld(ThreadState t, int slot, long epoch) {
        if (!Stream.quietLocks)
            return;
        LockNotes notes = Slots.locksAt(slot, epoch);
        if (notes != null && notes.held.length == 0)
            return; // it has never held any
        long[] list = t.locks.found();
        int count = notes == null ? -1 : notes.find(slot, epoch, list);
        if (count < 0 || !areNamed(t, list, count))
            put(t, HELD, HOLDS_NOTHING, 0, 0);
        for (int i = 0; i < count; i++)
            notes.putSection(t, HELD, list, i, 0, false);
    }

    /** Does t come after their names? If not, nothing has put t behind the access either, so far. */
    private static boolean areNamed(ThreadState t, long[] list, int count) {
        for (int i = 0; i < count; i++)
            if (list[i * FIELDS + NAMED] > t.sequence)
                return false;
        return true;
    }

    // ---- what was held in an epoch ----

    private long[] found() {
        if (found == null)
            found = new long[(MOST_HELD + 1) * FIELDS];
        return found;
    }

    /** The usual case, of the thread itself. */
    private boolean isFreeAt(long epoch) {
        int last = (overCount - 1 & OVER - 1) * FIELDS;
        return heldCount == 0 && (overCount == 0 || over[last + ENDED] <= epoch);
    }

    /** Keeps the section that was copied to the end of the list, if it had begun by that epoch. */
    private static int addIfOpen(long[] list, int count, long epoch) {
        long begun = list[count * FIELDS + BEGUN];
        if (ThreadState.epochOf(begun) > epoch || count == MOST_HELD)
            return count;
        int i = count;
        for (int k = 0; k < count; k++)
            if (list[k * FIELDS + BEGUN] == begun)
                return count;
        for (; i > 0 && list[(i - 1) * FIELDS + BEGUN] > begun; i--)
            for (int k = 0; k < FIELDS; k++) { // the one that was taken first comes first
                int at = i * FIELDS + k;
                long later = list[at - FIELDS];
                list[at - FIELDS] = list[at];
                list[at] = later;
            }
        return count + 1;
    }

    /** How many; below 0: that is not known any more. Who gives a lock back notes that before it is
     * gone from those that are held, so each is found in one place or both. */
    private int find(int slot, long epoch, long[] list) {
        int open = heldCount, count = 0;
        Memory.UNSAFE.loadFence();
        long[] now = held;
        for (int i = 0; i < open; i++) {
            if (!copy(now, i, slot, list, count))
                return -1;
            count = addIfOpen(list, count, epoch);
        }
        Memory.UNSAFE.loadFence();
        return findOver(slot, epoch, list, count);
    }

    private static int firstOverAfter(long[] words, int end, long epoch) {
        int low = Math.max(0, end - OVER + 1), high = end;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Memory.load(words, (middle & OVER - 1) * FIELDS + ENDED) > epoch)
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }

    /** Those that are over. Once none was held any more, later ones do not matter. */
    private int findOver(int slot, long epoch, long[] list, int count) {
        int end = overCount;
        Memory.UNSAFE.loadFence();
        long[] words = over;
        int first = end == 0 ? 0 : firstOverAfter(words, end, epoch);
        if (end >= OVER && first == end - OVER + 1)
            return -1; // some may be forgotten
        for (int i = first; i < end; i++) {
            if (i == first + TRIES || !copy(words, i & OVER - 1, slot, list, count))
                return -1;
            boolean last = (list[count * FIELDS + HOW] & LAST) != 0;
            count = addIfOpen(list, count, epoch);
            if (last)
                break;
        }
        return count;
    }
}

/** The monitors that a thread holds, and how often: a wait gives all of that up. */
final class HeldMonitors {
    private Object[] monitors = new Object[8];
    private int count;

    void add(Object monitor) {
        if (count == monitors.length)
            monitors = java.util.Arrays.copyOf(monitors, 2 * count);
        monitors[count++] = monitor;
    }

    void remove(Object monitor) {
        for (int i = count; i-- > 0; )
            if (monitors[i] == monitor) {
                System.arraycopy(monitors, i + 1, monitors, i, --count - i);
                monitors[count] = null;
                return;
            }
    }

    int times(Object monitor) {
        int times = 0;
        for (int i = 0; i < count; i++)
            if (monitors[i] == monitor)
                times++;
        return times;
    }
}
