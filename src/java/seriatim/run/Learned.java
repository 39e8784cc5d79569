package seriatim.run;

import static seriatim.run.ThreadState.*;

/**
 * What a thread has learned of others: on which of their epochs it depends, as the watcher knows.
 * Reads of what they wrote up to then bring nothing new (access_deferred.c has the reasons), and need
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
        int i = slotOf(word) % SIZE;
        long last = lasts[i];
        return ((last ^ word) & WHO) == 0 && word >= firsts[i] && epochOf(word) <= epochOf(last);
    }

    /** An access of the thread is emitted that depends on this write. */
    void add(ThreadState t, long write) {
        long word = write & WHO_AND_WHEN;
        if (!t.isForeign(word))
            return;
        long first = Slots.firstOf(slotOf(word));
        if (word >= first)
            add(first, word);
    }

    private void add(long first, long word) {
        if (has(word))
            return;
        int i = slotOf(word) % SIZE;
        firsts[i] = from(first, word);
        lasts[i] = word;
    }

    /** What is known up to this one and goes on with it is as one, also if it is of threads that had
     * the slot before. */
    private long from(long first, long word) {
        int i = slotOf(word) % SIZE;
        boolean goesOn = ((lasts[i] ^ word) & WHO) == 0 && epochOf(lasts[i]) + 1 >= epochOf(first);
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
            long last = t.finished ? t.present() : t.current & WHO_AND_WHEN;
            all.firsts[all.firsts.length - 1] = t.learned.from(t.first, last);
            all.lasts[all.lasts.length - 1] = last;
        }
        return all;
    }
}
