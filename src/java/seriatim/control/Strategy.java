package seriatim.control;

import static seriatim.control.ControlLayout.*;

/** Who goes on (src/runtime/control/strategy.c). All of this with the baton, or with the lock. */
final class Strategy {
    /** Priorities that are drawn are above LOW; who yields or is changed goes below all others. */
    private static final long LOW = 1L << 32;

    private static final int CHANGES = 32;
    static int kind;
    private static long random, lowest = LOW;
    private static long[] changes = {};

    // ---- chance ----

    private static long random64() {
        long x = random;
        x ^= x >>> 12;
        x ^= x << 25;
        x ^= x >>> 27;
        random = x;
        return x * 2685821657736338717L;
    }

    static long randomBelow(long bound) {
        if (bound == 0)
            return 0;
        long x = random64(); // the upper half of an unsigned product
        return Math.multiplyHigh(x, bound) + (x < 0 ? bound : 0);
    }

    static boolean isRandom() {
        return kind != STRATEGY_DEFAULT;
    }

    static boolean exitsLast() {
        return !isRandom() || randomBelow(8) != 0;
    }

    private static boolean hasPriorities() {
        return kind >= STRATEGY_PCT;
    }

    private static long drawPriority() {
        return LOW + 1 + randomBelow(LOW);
    }

    static void start() {
        kind = Area.count(PLAN_STRATEGY);
        random = (Area.number(PLAN_SEED) + 1) * 0x9e3779b97f4a7c15L;
        for (int i = 0; i < 8; i++)
            random64();
        Steps.start();
        long points = Area.number(
                kind == STRATEGY_BLOCK_PCT ? PLAN_EXPECTED_BLOCK_POINTS : PLAN_EXPECTED_POINTS);
        int depth = Area.count(PLAN_DEPTH);
        changes = new long[depth > CHANGES ? CHANGES : Math.max(0, depth - 1)];
        for (int i = 0; i < changes.length; i++)
            changes[i] = 1 + randomBelow(Math.max(points, 1));
    }

    /** Where it comes in the order of the plan, from 0 on; the length of that if it does not. */
    private static int rankOf(Runner runner) {
        int rank = 0, end = orderCount();
        while (rank < end && Area.number(HOLD_ORDER + 8L * rank) != runner.name)
            rank++;
        return rank;
    }

    private static int orderCount() {
        return Math.min(Area.count(HOLD_ORDER_COUNT), ORDER);
    }

    static void begin(Runner runner) {
        runner.priority = drawPriority();
        if (rankOf(runner) < orderCount())
            runner.priority = Long.MAX_VALUE - 2 - rankOf(runner);
    }

    // ---- the default schedule ----

    /** Others first, but not for ever: those who sleep again and again would always be before it. */
    private static boolean stillYields(Runner runner) {
        return runner.yielding
                && (runner.last || Control.tickets - runner.ticket < 16 + 2L * Control.alive);
    }

    private static Runner firstReady() {
        Runner patient = null;
        for (Runner runner : Control.ready) {
            if (!stillYields(runner))
                return runner;
            if (patient == null || runner.ticket < patient.ticket)
                patient = runner;
        }
        return patient;
    }

    static Runner byDefault(Runner me) {
        return me != null && me.state == READY && !me.yielding ? me : firstReady();
    }

    static boolean allYield() {
        for (Runner runner : Control.ready)
            if (!stillYields(runner))
                return false;
        return true;
    }

    // ---- walks ----

    private static long weightOf(Runner runner) {
        if (kind != STRATEGY_URW)
            return 1;
        return runner.expected > runner.points + 1 ? runner.expected - runner.points : 1;
    }

    private static Runner walk() {
        boolean all = allYield();
        long sum = 0;
        for (Runner runner : Control.ready)
            if (all || !stillYields(runner))
                sum += weightOf(runner);
        long at = randomBelow(sum);
        for (Runner runner : Control.ready) {
            if (!all && stillYields(runner))
                continue;
            if (at < weightOf(runner))
                return runner;
            at -= weightOf(runner);
        }
        return null;
    }

    // ---- priorities ----

    private static Runner highest(boolean held) {
        Runner best = null;
        for (Runner runner : Control.ready)
            if ((held || !runner.held) && (best == null || runner.priority > best.priority))
                best = runner;
        return best;
    }

    static void yields(Runner me) {
        if (hasPriorities())
            me.priority = --lowest;
    }

    private static void changePriority(Runner me, long number) {
        for (long change : changes)
            if (change == number)
                me.priority = --lowest;
    }

    private static boolean readsOnly(Runner runner) {
        return runner.kind == AT_READ || runner.kind == AT_ATOMIC_READ
                || runner.kind == AT_READ_LOCK;
    }

    private static boolean conflict(Runner a, Runner b) {
        return a.object != 0 && b.object != 0 && a.object < b.object + Math.max(b.size, 1)
                && b.object < a.object + Math.max(a.size, 1) && !(readsOnly(a) && readsOnly(b));
    }

    /** POS: who was about to do something that conflicts gets another chance. */
    private static void drawConflicting(Runner me) {
        for (Runner runner : Control.ready)
            if (runner != me && conflict(me, runner))
                runner.priority = drawPriority();
    }

    // ---- holding a block open ----

    private static boolean holds() {
        return kind == STRATEGY_DIRECTED || kind == STRATEGY_STALL;
    }

    private static boolean isInHeldBlock(Runner me) {
        return me.heldBlock != 0 && (me.heldBlock == me.block || me.heldBlock == me.rootBlock);
    }

    private static boolean isAnybodyHeldAfter(Runner me) {
        for (Runner runner : Control.ready)
            if (runner != me && runner.held && runner.heldAfter)
                return true;
        return false;
    }

    /** What those who were held at `other` have waited for is there. */
    private static void letOthersGo(Runner me) {
        for (Runner runner : Control.ready)
            if (runner != me && runner.held && !runner.heldAfter) {
                runner.held = false;
                runner.priority = Long.MAX_VALUE - 1;
            }
    }

    private static void hold(Runner me) {
        if (!isInHeldBlock(me)) {
            me.heldBlock = 0;
            me.letGo = false;
        }
        me.heldAfter = me.heldBlock != 0 && !me.letGo;
        me.held = me.heldAfter || (kind == STRATEGY_DIRECTED && me.place != null && me.place.other
                && !isAnybodyHeldAfter(me));
        me.heldSince = Area.number(LOG_POINTS);
        if (me.heldAfter)
            letOthersGo(me);
    }

    private static boolean isHeldTooLong(Runner runner) {
        long usual = Math.max(2000, 2 * Area.number(PLAN_EXPECTED_POINTS));
        return runner.held && Area.number(LOG_POINTS) - runner.heldSince > usual;
    }

    private static boolean isAnybodyHeldTooLong() {
        for (Runner runner : Control.ready)
            if (isHeldTooLong(runner))
                return true;
        return false;
    }

    static boolean holdsAll() {
        for (Runner runner : Control.ready)
            if (!runner.held)
                return false;
        return !Control.ready.isEmpty();
    }

    private static boolean isBetterLetGo(Runner runner, Runner than) {
        if (kind == STRATEGY_STEPS && Steps.loss(runner) != Steps.loss(than))
            return Steps.loss(runner) < Steps.loss(than);
        return runner.priority > than.priority;
    }

    private static Runner highestNotHeld() {
        Runner next = highest(false);
        boolean inVain = next != null && next.yielding
                && Control.yields > 2L * Control.ready.size() + 8;
        if (next != null && !inVain && !isAnybodyHeldTooLong())
            return next;
        // The others wait, or spin: for somebody who is held, it may be.
        Runner held = null;
        for (Runner runner : Control.ready)
            if (runner.held && (held == null || isBetterLetGo(runner, held)))
                held = runner;
        boolean alsoInVain =
                held != null && next != null && held.yielding && next.ticket < held.ticket;
        if (held == null || alsoInVain)
            return next;
        Area.addCount(LOG_GIVEN_UP, 1);
        held.letGo |= kind == STRATEGY_STALL || isHeldTooLong(held);
        held.held = false;
        if (kind == STRATEGY_STEPS)
            Steps.letGo(held);
        return held;
    }

    /** Who had to wait for a lock in the meantime was not there when a step was done. */
    private static Runner highestForSteps() {
        for (Runner runner : Control.ready) {
            boolean held = Steps.hold(runner);
            if (held && !runner.held)
                runner.heldSince = Area.number(LOG_POINTS);
            runner.held = held;
            if (!runner.yielding && Steps.isNext(runner))
                runner.priority = Long.MAX_VALUE - 1;
        }
        return highestNotHeld();
    }

    /** Another thread has come between: the block goes on right behind it. */
    private static void passLast(Runner me) {
        boolean hit = false;
        for (Runner runner : Control.ready) {
            if (runner == me || !runner.held || !runner.heldAfter)
                continue;
            runner.held = false;
            runner.letGo = true;
            runner.priority = Long.MAX_VALUE;
            hit = true;
        }
        if (hit)
            Area.addCount(LOG_HITS, 1);
    }

    /** Not each time: the first block that comes by may be the wrong one. What a thread starts with
     * may be a loop, of which every turn counts. */
    private static void passFirst(Runner me) {
        boolean again = me.letGo && me.block == me.rootBlock;
        if (me.block == 0 || (me.heldBlock != 0 && !again) || randomBelow(4) == 0)
            return;
        if (orderCount() != 0 && rankOf(me) != 0)
            return;
        me.heldBlock = me.block;
        me.letGo = false;
    }

    // ---- points ----

    static void atPoint(Runner me, boolean contested) {
        if (kind == STRATEGY_PCT && contested)
            changePriority(me, Area.number(LOG_CONTESTED));
        else if (kind == STRATEGY_BLOCK_PCT && contested && me.block != 0 && me.blockPoints > 1)
            changePriority(me, Area.number(LOG_CONTESTED_IN_BLOCKS));
        else if (kind == STRATEGY_POS && !me.yielding)
            me.priority = drawPriority(); // who waits for others must not always come before them
        else if (holds())
            hold(me);
    }

    static void passes(Runner me) {
        if (kind == STRATEGY_STEPS)
            Steps.pass(me);
        if (kind == STRATEGY_POS)
            drawConflicting(me);
        if (!holds())
            return;
        me.held = false;
        if (me.place == null)
            return;
        if (me.place.last && kind == STRATEGY_DIRECTED)
            passLast(me);
        if (me.place.first)
            passFirst(me);
    }

    /** Null: as the default schedule has it. */
    static Runner choose() {
        switch (kind) {
            case STRATEGY_RANDOM:
            case STRATEGY_URW:
                return walk();
            case STRATEGY_PCT:
            case STRATEGY_BLOCK_PCT:
            case STRATEGY_POS:
                return highest(true);
            case STRATEGY_DIRECTED:
            case STRATEGY_STALL:
                return highestNotHeld();
            case STRATEGY_STEPS:
                return highestForSteps();
            default:
                return null;
        }
    }

    private Strategy() {}
}
