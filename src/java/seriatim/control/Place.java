package seriatim.control;

import static seriatim.control.ControlLayout.*;

/** A place in the code, by its row of the site file, and what the plan says about it. */
final class Place {
    private static final int MOST_TAUGHT = 1 << 16; // rows that learning knows
    private static Place[] all = new Place[1024];
    private static final String MODULE = "java";
    private static final long START = 1L << 46, LENGTH = 1L << 32;

    final int row;
    final long site;
    boolean point; // accesses here are points
    final boolean first, other, last, outer; // of the plan's hold and list
    final int steps, entries; // of the plan: bit i stands for step i

    private Place(int row) {
        this.row = row;
        site = Area.site(MODULE, Control.host.place(row) - START);
        point = Area.hasFlag(EVERY_ACCESS) || Area.number(Area.slot(LOG_SITES, site)) != 0;
        first = isIn(HOLD_FIRST, HOLD_FIRST_COUNT, HELD);
        other = isIn(HOLD_OTHER, HOLD_OTHER_COUNT, HELD);
        last = isIn(HOLD_LAST, HOLD_LAST_COUNT, HELD);
        outer = isIn(PLAN_OUTER, PLAN_OUTER_COUNT, OUTER);
        steps = stepsAt(STEP_SITE_LIST, STEP_SITE_COUNT);
        entries = stepsAt(STEP_ENTRY_LIST, STEP_ENTRY_COUNT);
    }

    private boolean isIn(long list, long count, int most) {
        int end = Math.min(Area.count(count), most);
        for (int i = 0; i < end; i++)
            if (Area.number(list + 8L * i) == site)
                return true;
        return false;
    }

    private int stepsAt(long list, long count) {
        int bits = 0, end = Math.min(Area.count(PLAN_STEP_COUNT), STEPS);
        for (int i = 0; i < end; i++) {
            long step = PLAN_STEPS + (long) STEP_BYTES * i;
            if (isIn(step + list, step + count, STEP_SITES))
                bits |= 1 << i;
        }
        return bits;
    }

    /** Who has the baton asks, or who has the lock. */
    static Place of(int row) {
        Place[] table = all;
        if (row < table.length && table[row] != null)
            return table[row];
        return make(row);
    }

    private static synchronized Place make(int row) {
        if (row >= all.length)
            all = java.util.Arrays.copyOf(all, Math.max(row + 1, 2 * all.length));
        if (all[row] == null)
            all[row] = new Place(row);
        return all[row];
    }

    boolean canBeTaught() {
        return row > 0 && row < MOST_TAUGHT;
    }

    /** Accesses here are points from now on. */
    void learn() {
        if (!point)
            point = logSite(site);
    }

    private static boolean logSite(long site) {
        long slot = Area.slot(LOG_SITES, site);
        if (Area.number(slot) != 0)
            return true;
        if (Area.count(LOG_SITE_COUNT) >= SITES / 2)
            return false;
        Area.set(slot, site);
        Area.addCount(LOG_SITE_COUNT, 1);
        return true;
    }

    /** Before any place is asked for. */
    static void start() {
        for (int i = 0; i < SITES; i++)
            if (Area.number(PLAN_SITES + 8L * i) != 0)
                logSite(Area.number(PLAN_SITES + 8L * i));
        for (int i = 0; i < MODULE.length(); i++)
            Area.setByte(LOG_MODULES + i, MODULE.charAt(i));
        Area.set(LOG_MODULES + MODULE_START, START);
        Area.set(LOG_MODULES + MODULE_BIAS, START);
        Area.set(LOG_MODULES + MODULE_END, START + LENGTH);
        Area.setCount(LOG_MODULE_COUNT, 1);
    }
}
