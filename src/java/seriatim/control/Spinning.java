package seriatim.control;

import static seriatim.control.ControlLayout.*;

/**
 * Reads and attempts of a thread in a row that changed nothing: it looks at the same from the same
 * place again and again, and nothing will change unless others go on. Whether it spins follows from
 * its events alone, points or not (src/runtime/control/spinning.c).
 */
final class Spinning {
    private static final int FIRST_ATOMIC = 4, FIRST_PLAIN = 16, LONGEST = 1024, YIELD = 16;
    private static final int ENTRIES = 16, QUIET = 512;
    static final int FAIR = 20000;

    private final int[] rows = new int[ENTRIES], times = new int[ENTRIES], stamps =
            new int[ENTRIES];
    private final long[] objects = new long[ENTRIES];
    private int stamp = 1, patience, quiet;

    private static boolean canSpin(int kind) {
        return kind == AT_READ || kind == AT_ATOMIC_READ || kind == AT_ATOMIC_WRITE
                || kind == AT_TRY_LOCK || kind == AT_SEM_WAIT || kind == AT_IO;
    }

    void changed() {
        stamp++;
        patience = quiet = 0;
        Control.vain = Control.yields = 0;
    }

    private static boolean yields(int events) {
        Control.yields++;
        Control.vain += events;
        return true;
    }

    /** Has it done this so often in vain that others should go on? */
    boolean spins(Runner me, int kind, long object, int row) {
        if (kind == AT_YIELD)
            return yields(YIELD);
        if (me.clock - me.since > FAIR) {
            me.since = me.clock;
            return true;
        }
        if (!canSpin(kind)) {
            changed();
            return false;
        }
        int i = (int) (row ^ row >>> 4 ^ object >>> 3) & ENTRIES - 1;
        if (stamps[i] != stamp || rows[i] != row || objects[i] != object) {
            rows[i] = row;
            objects[i] = object;
            stamps[i] = stamp;
            times[i] = 0;
        }
        int bound = (kind == AT_READ ? FIRST_PLAIN : FIRST_ATOMIC) << patience;
        if (++times[i] < bound)
            return false;
        times[i] = 0;
        if (bound < LONGEST)
            patience++;
        return yields(bound);
    }

    /** The same for an access that is not atomic, quickly: many in a row must be reads. */
    boolean accessSpins(Runner me, boolean write, long address, int row) {
        boolean calm = write ? quiet < QUIET && Control.yields == 0 : quiet + 1 < QUIET;
        if (calm && me.clock - me.since <= FAIR) {
            quiet = write ? 0 : quiet + 1;
            return false;
        }
        return spins(me, write ? AT_WRITE : AT_READ, address, row);
    }
}
