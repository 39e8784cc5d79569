package seriatim.run;

import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/** Methods that were boarded and left: reports say in which one an access happened. */
final class LeftFrames {
    /** A frame: first epoch, the epoch after it (both as words), and its call (Frames.java). */
    private static final int KEPT = 512, FIELDS = 3, BEGUN = 0, ENDED = 1, CALL = 2;

    static final int MOST_WITHIN = 16;
    private static final int TRIES = 64;

    /** In a call: all around the frame was emitted. Methods have rows that leave this bit free. */
    private static final long OUTERMOST = 1L << 63;

    private long[] ring = {};
    private int count; // written after the frame; others take a fence before they read it

    @ForceInline
    void add(long begun, long ended, long call, boolean outermost) {
        long[] words = ring;
        int at = (count & KEPT - 1) * FIELDS;
        if (at >= words.length)
            words = ring = new long[KEPT * FIELDS];
        words[at + BEGUN] = 0;
        Memory.UNSAFE.storeFence();
        words[at + ENDED] = ended;
        words[at + CALL] = outermost ? call | OUTERMOST : call;
        Memory.UNSAFE.storeFence();
        words[at + BEGUN] = begun;
        count++;
    }

    private int firstAfter(long[] words, int end, long epoch) {
        int low = Math.max(0, end - KEPT), high = end;
        while (low < high) {
            int middle = (low + high) >>> 1;
            long ended = Memory.load(words, (middle & KEPT - 1) * FIELDS + ENDED);
            if (ThreadState.epochOf(ended) > epoch)
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }

    /** Those in which the slot's thread was in that epoch, and that began after the other one: their
     * calls, the innermost first, at every other place of the list. How many. */
    private int find(int slot, long epoch, long after, long[] list, int from) {
        long[] words = ring;
        if (words.length == 0)
            return 0;
        Memory.UNSAFE.loadFence();
        int end = count, found = 0;
        int i = firstAfter(words, end, epoch);
        for (int tries = 0; i < end && tries < TRIES && found < MOST_WITHIN; i++, tries++) {
            int at = (i & KEPT - 1) * FIELDS;
            long begun = Memory.load(words, at + BEGUN), call = words[at + CALL];
            boolean outermost = call < 0;
            Memory.UNSAFE.loadFence();
            if (begun == 0 || ThreadState.slotOf(begun) != slot
                    || Memory.load(words, at + BEGUN) != begun
                    || ThreadState.epochOf(begun) <= after)
                break;
            if (ThreadState.epochOf(begun) <= epoch)
                list[2 * (from + found++)] = call & ~OUTERMOST;
            if (outermost)
                break;
        }
        return found;
    }

    /** The same for methods around a lock that was taken, outermost first. */
    int callsAt(int slot, long epoch, long after, long[] list, int from) {
        int found = find(slot, epoch, after, list, from);
        for (int low = from, high = from + found - 1; low < high; low++, high--) {
            long call = list[2 * low];
            list[2 * low] = list[2 * high];
            list[2 * high] = call;
        }
        return found;
    }

    /** t emits next an access that the thread of `left` made in that epoch. */
    static void emitWithin(ThreadState t, LeftFrames left, int slot, long epoch) {
        if (left.ring.length == 0)
            return;
        long[] calls = new long[2 * MOST_WITHIN];
        int found = left.find(slot, epoch, 0, calls, 0);
        while (found-- > 0)
            Frames.putWithin(t, calls[2 * found]);
    }
}

/**
 * Methods that access one variable, and do nothing else. Such a block cannot be violated: what leaves
 * it does so from its one access, and nothing comes to it after that. So it is no frame, and its access
 * counts as one of its caller. Reports have it all the same: a deferred access is kept with a place
 * that stands for two, that of the access and that of the call.
 */
final class OneAccess {
    /** Smaller numbers of places are rows. */
    private static final int FIRST = 1 << 28;

    private static final int CACHED = 256;

    private static final class Table {
        final long[] calls; // as in Frames.java
        final int[] sites; // of the accesses

        Table(int size) {
            calls = new long[size];
            sites = new int[size];
        }

        Table copyOf(int size) {
            Table copy = new Table(size);
            System.arraycopy(calls, 0, copy.calls, 0, calls.length);
            System.arraycopy(sites, 0, copy.sites, 0, sites.length);
            return copy;
        }
    }

    private static volatile Table table = new Table(64);
    private static final java.util.HashMap<Long, Integer> numbers = new java.util.HashMap<>();

    // Of a thread: those that it has used last.
    private final long[] keys = new long[CACHED];
    private final int[] places = new int[CACHED];

    /** What stands for an access at `site` in a method that was called from where the thread is. */
    int place(int from, int site, int method) {
        long key = (long) from << 32 | site;
        int i = from * 31 + site & CACHED - 1;
        if (keys[i] != key) {
            places[i] = find(key, (long) method << 32 | from, site);
            keys[i] = key;
        }
        return places[i];
    }

    @DontInline
    private static int find(long key, long call, int site) {
        synchronized (numbers) {
            Integer there = numbers.get(key);
            if (there != null)
                return there;
            int i = numbers.size();
            if (i >= FIRST)
                return site;
            Table all = table;
            if (i == all.sites.length)
                all = all.copyOf(2 * i);
            all.calls[i] = call;
            all.sites[i] = site;
            table = all;
            numbers.put(key, FIRST + i);
            return FIRST + i;
        }
    }

    /** The place of the access itself. */
    static int siteOf(int place) {
        return place < FIRST ? place : table.sites[place - FIRST];
    }

    /** t emits next an access that was made at that place. */
    static void emitWithin(ThreadState t, int place) {
        if (place < FIRST)
            return;
        Frames.putWithin(t, table.calls[place - FIRST]);
    }
}
