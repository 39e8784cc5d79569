package seriatim.control;

/**
 * Learning which places touch variables that threads share: that two threads have touched, one of
 * them writing, neither of which had ended when the other began (src/runtime/control/learning.c).
 *
 * Each variable has two words for it. The first has the number of the thread that touched it first
 * (bits 0 to 15), whether a second one did (16), whether anybody wrote (17), and two places; the
 * second has four.
 */
final class Learning {
    private static final int NUMBERS = 0xffff;
    private static final long SHARED = 1 << 16, WRITTEN = 1 << 17, BOTH = SHARED | WRITTEN;

    /** When the last thread with a number ended. */
    private static final long[] ends = new long[NUMBERS + 1];

    private static int numberOf(Runner runner) {
        return runner.index % NUMBERS + 1;
    }

    static void begins(Runner runner) {
        runner.began = ++Control.tickets;
        ends[numberOf(runner)] = Long.MAX_VALUE;
    }

    static void ends(Runner runner) {
        ends[numberOf(runner)] = ++Control.tickets;
    }

    private static void learnFrom(long places, int shift) {
        for (; shift < 64; shift += 16) {
            int row = (int) (places >>> shift) & 0xffff;
            if (row != 0)
                Place.of(row).learn();
        }
    }

    /** Puts the place into the first free room for one, unless it is there already. */
    private static void addPlace(long[] words, int at, int row) {
        for (int i = 0; i < 6; i++) {
            int word = i < 2 ? at : at + 1, shift = i < 2 ? 32 + 16 * i : 16 * (i - 2);
            int there = (int) (words[word] >>> shift) & 0xffff;
            if (there == 0)
                words[word] |= (long) row << shift;
            if (there == 0 || there == row)
                return;
        }
    }

    static void learn(Runner me, long[] words, int at, boolean write, Place place) {
        if (!place.canBeTaught())
            return;
        if ((words[at] & BOTH) != BOTH) {
            int number = (int) words[at] & 0xffff;
            if (number == 0 || (number != numberOf(me) && ends[number] < me.began)) {
                words[at] = numberOf(me);
                words[at + 1] = 0;
            } else if (number != numberOf(me)) {
                words[at] |= SHARED;
            }
            if (write)
                words[at] |= WRITTEN;
            if ((words[at] & BOTH) == BOTH) {
                learnFrom(words[at], 32);
                learnFrom(words[at + 1], 0);
            } else {
                addPlace(words, at, place.row);
            }
        }
        if ((words[at] & BOTH) == BOTH)
            place.learn();
    }

    private Learning() {}
}
