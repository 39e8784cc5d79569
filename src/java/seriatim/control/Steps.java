package seriatim.control;

import static seriatim.control.ControlLayout.*;

/** Steps: what an analysis foresees happens in its order, if the program can do it
 * (src/runtime/control/steps.c says how). */
final class Steps {
    private static final int NOBODY = -1;
    private static int at; // the step that comes next
    private static final int[] given = new int[STEPS]; // by role: index + 1; 0: to nobody yet
    private static int homeBlock; // of the first step
    private static final long[] objects = new long[STEPS];
    private static final int[] sizes = new int[STEPS];

    private static int count() {
        return Math.min(Area.count(PLAN_STEP_COUNT), STEPS);
    }

    private static int of(int number, int member) {
        return Area.count(PLAN_STEPS + (long) STEP_BYTES * number + member);
    }

    private static int roleAt(int number) {
        return Integer.remainderUnsigned(of(number, STEP_ROLE), STEPS);
    }

    static void start() {
        at = 0;
        java.util.Arrays.fill(given, 0);
    }

    private static int roleOf(Runner runner) {
        for (int i = 0; i < STEPS; i++)
            if (given[i] == runner.index + 1)
                return i;
        return NOBODY;
    }

    private static boolean isAt(Runner runner, int number) {
        return runner.place != null && (runner.place.steps >> number & 1) != 0;
    }

    /** Is its pending operation about the object that the step must be about? */
    private static boolean hasObject(Runner runner, int number) {
        int same = of(number, STEP_SAME);
        if (Integer.compareUnsigned(same, number) >= 0 || same >= at)
            return true;
        return runner.object < objects[same] + Math.max(sizes[same], 1)
                && objects[same] < runner.object + Math.max(runner.size, 1);
    }

    /** Is the step its own, or can it become so? */
    private static boolean mayHave(Runner runner, int number) {
        int role = roleOf(runner), wanted = roleAt(number), thread = of(number, STEP_THREAD);
        return (thread == 0 || thread == runner.index + 1)
                && (role == NOBODY ? given[wanted] == 0 : role == wanted);
    }

    private static boolean canDo(Runner runner, int number) {
        return isAt(runner, number) && mayHave(runner, number) && hasObject(runner, number);
    }

    private static boolean canEnter(Runner runner, int number) {
        return runner.place != null && (runner.place.entries >> number & 1) != 0
                && mayHave(runner, number);
    }

    /** The next step of a role; the number of steps: there is none. */
    private static int nextOfRole(int role) {
        int next = at;
        while (next < count() && roleAt(next) != role)
            next++;
        return next;
    }

    static boolean hold(Runner runner) {
        int role = roleOf(runner), count = count();
        if (at >= count || canDo(runner, at))
            return false;
        if (role != NOBODY)
            return roleAt(at) != role && nextOfRole(role) < count;
        if (canEnter(runner, at))
            return false;
        for (int i = at + 1; i < count; i++)
            if ((canDo(runner, i) || canEnter(runner, i)) && nextOfRole(roleAt(i)) == i)
                return true;
        return false;
    }

    static boolean isNext(Runner runner) {
        return at < count() && (canDo(runner, at) || canEnter(runner, at)
                || roleOf(runner) == roleAt(at));
    }

    private static void doStep(Runner me) {
        given[roleAt(at)] = me.index + 1;
        objects[at] = me.object;
        sizes[at] = me.size;
        if (at == 0)
            homeBlock = me.block;
        if (++at < count())
            return;
        Area.addCount(LOG_HITS, 1);
        start();
    }

    static void pass(Runner me) {
        me.held = false;
        if (at >= count())
            return;
        boolean left = at > 0 && homeBlock != 0 && roleOf(me) == roleAt(0)
                && me.block != homeBlock && me.rootBlock != homeBlock;
        if (left)
            start();
        // The first block that comes by may be the wrong one.
        if (canDo(me, at) && (at > 0 || Strategy.randomBelow(4) != 0))
            doStep(me);
    }

    /** Must it pass its own next step if it goes on? */
    private static boolean isAtOwn(Runner runner) {
        int role = roleOf(runner), next = role == NOBODY ? count() : nextOfRole(role);
        return next < count() && isAt(runner, next);
    }

    static int loss(Runner runner) {
        if (roleOf(runner) == NOBODY)
            return 1; // a candidate
        return isAtOwn(runner) ? 2 : 0; // the attempt, or nothing
    }

    static void letGo(Runner runner) {
        if (isAtOwn(runner))
            start();
    }

    private Steps() {}
}
