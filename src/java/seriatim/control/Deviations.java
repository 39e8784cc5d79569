package seriatim.control;

import static seriatim.control.ControlLayout.*;

import java.util.HashMap;
import java.util.Map;

/** Deviations from the default schedule: those of the plan are followed, and all are logged. */
final class Deviations {
    static final int NONE = -1;

    /** For each deviation of the plan the next one of the same thread; by thread, the first. */
    private static int[] nextOf;

    private static final Map<Long, Integer> firsts = new HashMap<>();
    private static final long[] callers = new long[CALLERS];

    private static long at(int deviation) {
        return PLAN_DEVIATIONS + (long) DEVIATION_BYTES * deviation;
    }

    static void start() {
        int planned = Math.min(Area.count(PLAN_DEVIATION_COUNT), DEVIATIONS);
        Map<Long, Integer> lasts = new HashMap<>();
        nextOf = new int[planned];
        for (int i = 0; i < planned; i++) {
            long thread = Area.number(at(i) + DEVIATION_THREAD);
            Integer before = lasts.put(thread, i);
            nextOf[i] = NONE;
            if (before == null)
                firsts.put(thread, i);
            else
                nextOf[before] = i;
        }
    }

    private static void lookForwardTo(Runner runner, int deviation) {
        runner.deviation = deviation;
        runner.deviationClock = deviation == NONE ? Clock.FOREVER
                : Area.hasFlag(BY_SITE) ? 0 : Area.number(at(deviation) + DEVIATION_CLOCK);
    }

    static void take(Runner runner) {
        lookForwardTo(runner, firsts.getOrDefault(runner.name, NONE));
    }

    private static void diverge(Runner me) {
        Area.setCount(LOG_DIVERGED_AT, me.deviation);
        if (!Area.hasFlag(DIVERGE))
            Endings.end(END_DIVERGED);
        lookForwardTo(me, nextOf[me.deviation]);
    }

    private static int countHere(Runner me) {
        return me.place != null && me.has(me.place.row) ? me.counts[me.place.row] : 0;
    }

    private static boolean isBySite(long next) {
        return Area.hasFlag(BY_SITE) && Area.number(next + DEVIATION_SITE) != 0;
    }

    private static boolean isAtSite(Runner me, long next) {
        return me.place != null && me.place.site == Area.number(next + DEVIATION_SITE);
    }

    private static boolean wasMissed(Runner me, long next) {
        if (isBySite(next))
            return isAtSite(me, next) && countHere(me) > Area.count(next + DEVIATION_COUNT);
        return Area.number(next + DEVIATION_CLOCK) < me.clock;
    }

    private static boolean isHere(Runner me, long next) {
        if (isBySite(next))
            return isAtSite(me, next) && countHere(me) == Area.count(next + DEVIATION_COUNT);
        return Area.number(next + DEVIATION_CLOCK) == me.clock;
    }

    /** The thread that the plan names for this decision; null: it names none. */
    static Runner follow(Runner me, int kind, int ordinal) {
        while (me.deviation != NONE && wasMissed(me, at(me.deviation)))
            diverge(me);
        if (me.deviation == NONE)
            return null;
        long next = at(me.deviation);
        if (!isHere(me, next) || Area.small(next + DEVIATION_KIND) != kind
                || Area.small(next + DEVIATION_ORDINAL) != (ordinal & 0xffff))
            return null;
        Runner named = Control.named(Area.number(next + DEVIATION_NEXT));
        boolean possible = named != null && (kind == WAKE ? named.queued
                : kind == TIME ? named.deadline != Clock.FOREVER : named.state == READY);
        if (!possible) {
            diverge(me);
            return null;
        }
        Area.addCount(LOG_FOLLOWED, 1);
        lookForwardTo(me, nextOf[me.deviation]);
        return named;
    }

    static void note(Runner me, Runner next, int kind, int ordinal) {
        int count = Area.count(LOG_DEVIATION_COUNT);
        if (count >= DEVIATIONS) {
            Area.addCount(LOG_LOST_DEVIATIONS, 1);
            return;
        }
        if (kind == PREEMPT) {
            Control.host.callers(callers);
            for (int i = 0; i < CALLERS; i++)
                Area.set(LOG_CALLERS + 8L * (CALLERS * (long) count + i), callers[i]);
        }
        long at = LOG_DEVIATIONS + (long) DEVIATION_BYTES * count;
        Area.set(at + DEVIATION_THREAD, me.name);
        Area.set(at + DEVIATION_NEXT, next.name);
        Area.set(at + DEVIATION_CLOCK, me.clock);
        Area.set(at + DEVIATION_SITE, me.place == null ? 0 : me.place.site);
        Area.setCount(at + DEVIATION_COUNT, countHere(me));
        Area.setSmall(at + DEVIATION_KIND, kind);
        Area.setSmall(at + DEVIATION_ORDINAL, ordinal);
        Area.setCount(LOG_DEVIATION_COUNT, count + 1);
    }

    private Deviations() {}
}
