package seriatim.run;

import static seriatim.run.StreamLayout.*;

/** Methods that were boarded and left: reports say in which one an access happened. */
final class LeftFrames {
    private static final int KEPT = 512, FIELDS = 6, MOST_WITHIN = 16, TRIES = 64;
    private static final int BEGUN = 0, ENDED = 1, FUNCTION = 2, FROM = 3, INDEX = 4, EMITTED = 5;
    private long[] ring = new long[0];
    private int count; // written after the frame; others take a fence before they read it

    void add(long begun, long ended, int function, int from, int index, int emitted) {
        if (ring.length == 0)
            ring = new long[KEPT * FIELDS];
        int at = count % KEPT * FIELDS;
        Memory.store(ring, at + BEGUN, 0);
        Memory.UNSAFE.storeFence();
        ring[at + ENDED] = ended;
        ring[at + FUNCTION] = function;
        ring[at + FROM] = from;
        ring[at + INDEX] = index;
        ring[at + EMITTED] = emitted;
        Memory.store(ring, at + BEGUN, begun);
        Memory.UNSAFE.storeFence();
        count++;
    }

    private int firstAfter(long[] words, int end, long epoch) {
        int low = Math.max(0, end - KEPT), high = end;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Memory.load(words, middle % KEPT * FIELDS + ENDED) > epoch)
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
        int[] functions = new int[MOST_WITHIN], from = new int[MOST_WITHIN];
        int i = left.firstAfter(words, end, epoch);
        for (int tries = 0; i < end && tries < TRIES && found < MOST_WITHIN; i++, tries++) {
            int at = i % KEPT * FIELDS;
            long begun = Memory.load(words, at + BEGUN);
            functions[found] = (int) words[at + FUNCTION];
            from[found] = (int) words[at + FROM];
            boolean outermost = words[at + EMITTED] >= words[at + INDEX];
            Memory.UNSAFE.loadFence();
            if (begun == 0 || ThreadState.slotOf(begun) != slot
                    || Memory.load(words, at + BEGUN) != begun)
                break;
            if (ThreadState.epochOf(begun) <= epoch)
                found++;
            if (outermost)
                break;
        }
        for (; found-- > 0; t.base--) {
            long caller = from[found] == 0 ? 0 : Sites.pc(from[found]);
            Writer.put(t, Writer.what(WITHIN, 0, caller), Sites.pc(functions[found]));
        }
    }
}
