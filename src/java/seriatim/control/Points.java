package seriatim.control;

import static seriatim.control.ControlLayout.*;

/** Points: where others may go first (src/runtime/control/points.c). */
public final class Points {
    /** Another event of this thread. */
    static void count(Runner me, Place place) {
        me.clock++;
        me.blocks = me.wakes = 0;
        Control.events++;
        me.count(place == null ? 0 : place.row);
    }

    // ---- the log ----

    /** Who else can go on: bit i stands for thread i, the last bit for all from 15 on. */
    private static int contesting(Runner me) {
        int bits = 0;
        for (Runner runner : Control.ready)
            if (runner != me)
                bits |= 1 << Math.min(runner.index, 15);
        return bits;
    }

    private static void log(Runner me, int contested) {
        if (me.index >= THREADS)
            return;
        long thread = LOG_THREADS + (long) THREAD_BYTES * me.index;
        Area.set(thread + THREAD_CLOCK, me.clock);
        Area.set(thread + THREAD_POINTS, me.points);
        int count = Area.count(LOG_POINT_COUNT);
        if (count >= POINTS)
            return;
        long at = LOG_LOG + (long) POINT_BYTES * count;
        Area.set(at + POINT_SITE, me.place == null ? 0 : me.place.site);
        Area.set(at + POINT_OBJECT, me.object);
        Area.set(at + POINT_CLOCK, me.clock);
        Area.setCount(at + POINT_THREAD, me.index);
        Area.setCount(at + POINT_BLOCK, me.block);
        Area.set(at + POINT_BLOCK_SITE, me.blockSite);
        Area.setCount(at + POINT_SIZE, me.size);
        Area.setSmall(at + POINT_KIND, me.kind);
        Area.setSmall(at + POINT_CONTESTED, contested);
        Area.setCount(LOG_POINT_COUNT, count + 1);
    }

    private static int countPoint(Runner me) {
        int contested = contesting(me);
        me.points++;
        Area.add(LOG_POINTS, 1);
        Area.set(LOG_EVENTS, Control.events);
        if (contested != 0) {
            Area.add(LOG_CONTESTED, 1);
            if (me.block != 0 && me.blockPoints > 1)
                Area.add(LOG_CONTESTED_IN_BLOCKS, 1);
        }
        Endings.checkLength();
        return contested;
    }

    // ---- points ----

    /** Is there nothing to decide: the thread goes on in any case? */
    private static boolean goesOn(Runner me) {
        return me.initialising > 0 || (Strategy.kind == STRATEGY_DEFAULT && !me.yielding
                && me.deviationClock > me.clock);
    }

    private static void takeTurn(Runner me, boolean spins) {
        Control.host.enterBlock(me);
        int contested;
        boolean decides;
        synchronized (Control.LOCK) {
            contested = countPoint(me);
            me.yielding = spins || me.last;
            decides = !goesOn(me);
            if (decides) {
                if (me.yielding) {
                    me.ticket = ++Control.tickets;
                    Strategy.yields(me);
                }
                Strategy.atPoint(me, contested != 0);
            } else {
                me.yielding = false;
            }
        }
        if (decides)
            Baton.decide(me, Baton.AT_POINT);
        synchronized (Control.LOCK) {
            if (decides)
                Strategy.passes(me);
            log(me, contested);
        }
    }

    private static boolean isAtomic(int kind) {
        return kind == AT_ATOMIC_READ || kind == AT_ATOMIC_WRITE;
    }

    /** Before an operation: others may go first. */
    public static void point(Runner me, int kind, long object, int size, int row) {
        point(me, kind, object, size, row, null, 0);
    }

    /** The same for an atomic access; with the words for learning about that variable. */
    public static void point(
            Runner me, int kind, long object, int size, int row, long[] words, int at) {
        me.beats++;
        if (me.loose)
            Baton.comeBack(me);
        Place place = Place.of(row);
        me.kind = kind;
        me.object = object;
        me.size = size;
        me.place = place;
        count(me, place);
        boolean alone = Control.alive <= 1;
        if (Control.learning && words != null && !alone)
            Learning.learn(me, words, at, kind == AT_ATOMIC_WRITE, place);
        boolean spins = me.spinning.spins(me, kind, object, row);
        if (!alone || spins || me.deviationClock <= me.clock)
            takeTurn(me, spins);
    }

    /** Before a plain access. */
    public static void access(
            Runner me, long address, boolean write, int row, long[] words, int at) {
        me.beats++;
        if (me.loose)
            Baton.comeBack(me);
        Place place = Place.of(row);
        count(me, place);
        boolean spins = me.spinning.accessSpins(me, write, address, row);
        boolean alone = Control.alive <= 1;
        if (alone && !spins)
            return;
        if (Control.learning && !alone)
            Learning.learn(me, words, at, write, place);
        if (!place.point && !spins && me.deviationClock > me.clock)
            return;
        me.kind = write ? AT_WRITE : AT_READ;
        me.object = address;
        me.size = 8;
        me.place = place;
        takeTurn(me, spins);
    }

    /** The process is about to end: the others may go on before. */
    public static void exit(Runner me, int row) {
        if (me.last)
            return;
        me.last = true;
        me.exitsFirst = !Strategy.exitsLast();
        point(me, AT_EXIT, 0, 0, row);
        synchronized (Control.LOCK) {
            Endings.logAll();
        }
    }

    /** Is a method in the plan's list of those that are no blocks? */
    public static boolean isOuter(int row) {
        return Place.of(row).outer;
    }

    public static long siteOf(int row) {
        return Place.of(row).site;
    }

    private Points() {}
}
