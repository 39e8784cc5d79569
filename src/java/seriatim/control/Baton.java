package seriatim.control;

import static seriatim.control.ControlLayout.*;

/**
 * The baton: who has it runs, and all others are parked (src/runtime/control/baton.c).
 *
 * So that the watcher has one order of all records, that of the run, who gives the baton away takes
 * a sequence number before, and who gets it observes that.
 */
final class Baton {
    static final int AT_POINT = 0, AT_BLOCK = 1, AT_END = 2;

    /** What a decision came to, besides a runner: nobody can go on yet, or it is to be tried again. */
    private static final Runner NOBODY = new Runner(-1, 0, 0, 0), AGAIN = new Runner(-2, 0, 0, 0);

    private static final long NAP = 5_000_000;
    private static final int NAPS = 20; // before it is a deadlock: others may unpark somebody

    // ---- giving and parking ----

    /** With the lock. */
    private static void give(Runner next) {
        Control.current = next;
        Control.idle = 0;
        next.yielding = false;
        next.since = next.clock;
        next.call = new Call(Thread.currentThread(), next.monitor);
        Area.UNSAFE.putIntVolatile(null, next.go, 1);
    }

    private static void putDown(Runner me) {
        Area.UNSAFE.putIntVolatile(null, me.go, 0);
    }

    /** Who gave the baton to a thread wakes it. If that thread waits in a monitor, really, it goes on only
     * after that: otherwise it could do so by a notification of the program, and have the monitor again by
     * the time at which who wakes it wants that. */
    static final class Call {
        private final Thread by;
        private final Object monitor; // null: it waits elsewhere
        private volatile boolean done;

        Call(Thread by, Object monitor) {
            this.by = by;
            this.monitor = monitor;
        }

        boolean isDue() {
            return monitor != null && !done && by != Thread.currentThread();
        }
    }

    /** Without the lock. Who really waits in a monitor can be woken there: nobody who takes turns
     * has it. */
    static void wake(Runner next) {
        Call call = next.call;
        if (call.by == Thread.currentThread() && call.monitor != null)
            synchronized (call.monitor) {
                call.done = true;
                call.monitor.notifyAll();
            }
        Futex.wake(next.go);
    }

    private static boolean mustWait(Runner me) {
        return me.isParked() || (me.call != null && me.call.isDue());
    }

    static void park(Runner me) {
        while (me.monitor != null ? mustWait(me) : me.isParked())
            if (me.monitor != null)
                waitInMonitor(me);
            else
                Futex.await(me.go);
        me.beats++;
    }

    /** It holds the monitor. What interrupts it is not lost: Waiting tells it. */
    private static void waitInMonitor(Runner me) {
        boolean interrupted = false;
        Object monitor = me.monitor;
        while (mustWait(me))
            try {
                monitor.wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        if (interrupted)
            Thread.currentThread().interrupt();
    }

    /** If nobody has the baton and somebody can go on. With the lock; who is to be woken, or null. */
    static Runner dispatch() {
        if (Control.current != null || Control.ready.isEmpty() || Control.over)
            return null;
        Runner next = Strategy.byDefault(null);
        give(next);
        return next;
    }

    // ---- deciding ----

    private static void note(Runner me, Runner next, Runner usual, int decision, int ordinal) {
        Area.add(LOG_DECISIONS, 1);
        if (next != me)
            Area.add(LOG_SWITCHES, 1);
        if (next != me && decision == AT_POINT && me.state == READY)
            Area.add(LOG_PREEMPTIONS, 1);
        if (next != usual)
            Deviations.note(
                    me, next, decision == AT_POINT ? PREEMPT : BLOCKED_DEVIATION, ordinal);
    }

    /** May a strategy stop a thread that could go on? What is seldom enough is never refused. */
    private static boolean mayPreempt() {
        if (Control.preempted >= 2048 + Area.number(LOG_POINTS) / 256)
            return false;
        Control.preempted++;
        return true;
    }

    private static Runner choose(Runner me, int decision, int ordinal) {
        Runner usual = Strategy.byDefault(decision == AT_END ? null : me);
        Runner next = Deviations.follow(
                me, decision == AT_POINT ? PREEMPT : BLOCKED_DEVIATION, ordinal);
        boolean exits = me.kind == AT_EXIT && decision == AT_POINT;
        if (next == null && exits && me.exitsFirst)
            next = me;
        if (next == null) {
            next = Strategy.choose();
            boolean preempts = next != null && next != me && usual == me && decision == AT_POINT;
            if (next == null || (preempts && !mayPreempt()))
                next = usual;
        }
        if (exits)
            me.last = next != me || next == usual;
        note(me, next, usual, decision, ordinal);
        return next;
    }

    /** Somebody can go on: TRUE; something has to come first: FALSE; null: try again. */
    private static Boolean findReady(int naps) {
        for (;;) {
            if (!Control.ready.isEmpty() && !Strategy.allYield())
                return true;
            if (Clock.pass())
                continue;
            if (!Control.ready.isEmpty())
                return true;
            if (Control.outside > 0 || !Control.timed.isEmpty())
                return false;
            if (naps < NAPS)
                return null;
            Endings.end(END_DEADLOCK);
        }
    }

    /** With the lock. */
    private static Runner pick(Runner me, int decision, int ordinal, int naps) {
        Boolean found = findReady(naps);
        if (found == null)
            return AGAIN;
        Runner next = found ? choose(me, decision, ordinal) : NOBODY;
        if (next == me && decision != AT_END) {
            me.yielding = false;
            return me;
        }
        Control.host.before();
        putDown(me);
        if (next == NOBODY)
            Control.current = null;
        else
            give(next);
        return next;
    }

    /** Who goes on? Returns when it is this thread, which is at a point, or has just become one that
     * cannot go on. */
    static void decide(Runner me, int decision) {
        int ordinal = decision == AT_BLOCK ? me.blocks++ : 0;
        Runner next = AGAIN;
        for (int naps = 0; next == AGAIN; naps++) {
            synchronized (Control.LOCK) {
                if (Control.current != me) { // it was taken, and somebody else has decided
                    next = NOBODY;
                    if (decision != AT_END)
                        returnHome(me);
                    break;
                }
                if (naps == 0) {
                    Control.last = me;
                    Control.lastTime = 2 * ordinal + (decision == AT_BLOCK ? 1 : 0);
                    me.beats++;
                    Clock.passEarly(me, Control.lastTime);
                }
                next = pick(me, decision, ordinal, naps);
            }
            if (next == AGAIN) {
                me.beats++;
                Futex.nap(NAP);
            }
        }
        if (next == me)
            return;
        if (next != NOBODY)
            wake(next);
        if (decision == AT_END)
            return;
        park(me);
        Control.host.after();
    }

    private static void returnHome(Runner me) {
        me.loose = false;
        if (me.state == OUTSIDE)
            Control.makeReady(me);
        putDown(me);
        Runner next = dispatch();
        if (next != null && next != me)
            wake(next);
    }

    /** The last thread that counts has ended. */
    static void drop(Runner me) {
        synchronized (Control.LOCK) {
            Control.over = true;
            Control.host.before();
            putDown(me);
            if (Control.current == me)
                Control.current = null;
        }
    }

    /** The baton was taken from this thread as it waited where we cannot see it. */
    static void comeBack(Runner me) {
        synchronized (Control.LOCK) {
            me.loose = false;
            Control.makeReady(me);
            if (Control.current == null)
                give(me);
            else
                putDown(me);
        }
        park(me);
        Control.host.after();
    }

    /** Takes it from its holder, who waits unseen; with the lock. Who is to be woken, or null. */
    static Runner take(Runner holder) {
        holder.loose = true;
        if (holder.state == READY)
            Control.makeUnready(holder, OUTSIDE);
        Area.addCount(LOG_LOOSE, 1);
        Control.current = null;
        while (Control.ready.isEmpty() && Clock.pass())
            continue;
        return dispatch();
    }

    private Baton() {}
}
