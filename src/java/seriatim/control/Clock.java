package seriatim.control;

import static seriatim.control.ControlLayout.*;

/** Time is virtual: it grows with what the program does, and jumps when all wait for it
 * (src/runtime/control/outside/virtual_time.c). */
public final class Clock {
    public static final long FOREVER = Long.MAX_VALUE;
    private static final long EVENT = 50, SECOND = 1_000_000_000L;
    private static final long STARTS_AT = 1000 * SECOND, STARTS_ON = 1_700_000_000_000L;
    private static long skipped; // what was waited for

    static boolean isReal() {
        return Area.hasFlag(REAL_TIME);
    }

    static long now() {
        if (isReal())
            return System.nanoTime();
        long passed = Control.events * EVENT + skipped;
        Area.set(LOG_VIRTUAL_NANOSECONDS, passed);
        return STARTS_AT + passed;
    }

    /** Of a duration; 0 or less has passed already. */
    public static long deadline(long nanoseconds) {
        long now = now();
        return nanoseconds <= 0 ? now : nanoseconds >= FOREVER - now ? FOREVER - 1
                : now + nanoseconds;
    }

    /** In milliseconds of the clock that tells the date. */
    public static long date() {
        return isReal() ? System.currentTimeMillis() : STARTS_ON + (now() - STARTS_AT) / 1_000_000;
    }

    /** The thread looks at a clock: if it does so again and again, time goes faster. */
    public static long read(Runner me) {
        if (me == null || isReal())
            return now();
        long step = 1000;
        for (int i = 0; i < me.clockReads && i < 64 && step < 100_000_000; i++)
            step += step / 4;
        me.clockReads++;
        skipped += step;
        return now();
    }

    private static void timeOut(Runner runner) {
        long now = now();
        if (!isReal() && runner.deadline > now)
            skipped += runner.deadline - now;
        runner.timedOut = true;
        Waiting.release(runner);
    }

    /** Somebody is outside, and nobody else can go on. */
    static void passed(long nanoseconds) {
        if (!isReal())
            skipped += nanoseconds;
    }

    private static Runner earliest() {
        Runner first = null;
        for (Runner runner : Control.timed)
            if (first == null || runner.deadline < first.deadline
                    || (runner.deadline == first.deadline && runner.index < first.index))
                first = runner;
        return first;
    }

    /** Nobody can go on: whose time comes next? False: nobody's, or not yet. */
    static boolean pass() {
        Runner first = earliest();
        boolean real = isReal() || Control.outside > 0;
        if (first == null || (real && first.deadline > now()))
            return false;
        timeOut(first);
        return true;
    }

    /** Seldom; but mostly if those who can go on are held, since the others may wait for them. */
    private static boolean isEarly() {
        return Strategy.holdsAll() ? Strategy.randomBelow(8) != 0
                : Strategy.randomBelow(Area.count(PLAN_EARLY)) == 0;
    }

    static void passEarly(Runner me, int ordinal) {
        if (Control.timed.isEmpty())
            return;
        Runner chosen = Deviations.follow(me, TIME, ordinal);
        if (chosen == null && Strategy.isRandom() && Area.count(PLAN_EARLY) != 0 && !isReal()
                && isEarly())
            chosen = Control.timed.get((int) Strategy.randomBelow(Control.timed.size()));
        if (chosen == null || chosen == me)
            return;
        Deviations.note(me, chosen, TIME, ordinal);
        timeOut(chosen);
    }

    private Clock() {}
}
