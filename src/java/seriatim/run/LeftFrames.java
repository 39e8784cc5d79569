package seriatim.run;

/** Methods that were boarded and left: reports say in which one an access happened. */
final class LeftFrames {
    /** A frame: first epoch, the epoch after it (both as words), and its call (Frames.java). */
    private static final int KEPT = 512, FIELDS = 3, BEGUN = 0, ENDED = 1, CALL = 2;

    private static final int MOST_WITHIN = 16, TRIES = 64;

    /** In a call: all around the frame was emitted. Methods have rows that leave this bit free. */
    private static final long OUTERMOST = 1L << 63;

    private long[] ring = {};
    private int count; // written after the frame; others take a fence before they read it

    void add(long begun, long ended, long call, boolean outermost) {
        if (ring.length == 0)
            ring = new long[KEPT * FIELDS];
        int at = (count & KEPT - 1) * FIELDS;
        Memory.store(ring, at + BEGUN, 0);
        Memory.UNSAFE.storeFence();
        ring[at + ENDED] = ended;
        ring[at + CALL] = outermost ? call | OUTERMOST : call;
        Memory.store(ring, at + BEGUN, begun);
        Memory.UNSAFE.storeFence();
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

    /** t emits next an access that the thread of `left` made in that epoch. */
    static void emitWithin(ThreadState t, LeftFrames left, int slot, long epoch) {
        long[] words = left.ring;
        if (words.length == 0)
            return;
        Memory.UNSAFE.loadFence();
        int end = left.count, found = 0;
        long[] calls = new long[MOST_WITHIN];
        int i = left.firstAfter(words, end, epoch);
        for (int tries = 0; i < end && tries < TRIES && found < MOST_WITHIN; i++, tries++) {
            int at = (i & KEPT - 1) * FIELDS;
            long begun = Memory.load(words, at + BEGUN), call = words[at + CALL];
            calls[found] = call & ~OUTERMOST;
            boolean outermost = call < 0;
            Memory.UNSAFE.loadFence();
            if (begun == 0 || ThreadState.slotOf(begun) != slot
                    || Memory.load(words, at + BEGUN) != begun)
                break;
            if (ThreadState.epochOf(begun) <= epoch)
                found++;
            if (outermost)
                break;
        }
        while (found-- > 0)
            Frames.putWithin(t, calls[found]);
    }
}
