package seriatim.control;

import static seriatim.control.ControlLayout.*;

import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Waiting for each other: monitors, their conditions, LockSupport, the ends of threads, and time.
 * Nobody really waits: who cannot go on is parked until somebody makes it worth another try. What
 * java.util.concurrent has is built on LockSupport, and so needs nothing of its own here.
 */
public final class Waiting {
    /** Who has a monitor, as far as watched code goes; those that nobody has are not in here. */
    private static final class Held {
        Runner owner;
        int times;
    }

    private static final Map<Object, Held> monitors = new IdentityHashMap<>();

    // ---- blocking ----

    /** With the lock. */
    private static void block(Runner me, int state, Object object, long deadline) {
        Control.makeUnready(me, state);
        me.blockedOn = object;
        me.blockedAt = me.object;
        me.woken = me.timedOut = me.interrupted = false;
        Control.addDeadline(me, deadline);
    }

    private static void waitThere(Runner me) {
        me.clockReads = 0;
        Baton.decide(me, Baton.AT_BLOCK);
        me.blockedOn = null;
        me.blockedAt = 0;
        me.owner = null;
        me.mayBeInterrupted = false;
    }

    /** With the lock: whoever waits for this object may try again. Those in a queue stay. */
    static void unblock(Object object) {
        for (Runner runner : Control.live)
            if (runner.blockedOn == object && !runner.queued && runner.state == BLOCKED)
                Control.makeReady(runner);
    }

    /** With the lock: the thread waits no longer, or only for the monitor that it is to have back. */
    static void release(Runner runner) {
        Held held = runner.monitor == null ? null : monitors.get(runner.monitor);
        if (held == null) {
            Control.makeReady(runner);
            return;
        }
        Control.dropDeadline(runner);
        runner.queued = false;
        runner.state = BLOCKED;
        runner.owner = held.owner;
    }

    /** Somebody who takes no turns may have made others ready. Without the lock. */
    private static void dispatch() {
        Runner next;
        synchronized (Control.LOCK) {
            next = Baton.dispatch();
        }
        if (next != null)
            Baton.wake(next);
    }

    // ---- monitors ----

    /** With the lock: the monitor was taken, so those who are about to take it cannot go on. */
    private static void taken(Runner me, Object monitor) {
        for (int i = Control.ready.size(); i-- > 0; ) {
            Runner runner = Control.ready.get(i);
            if (runner == me || runner.blockedOn != monitor)
                continue;
            runner.owner = me;
            Control.makeUnready(runner, BLOCKED);
        }
    }

    private static boolean take(Runner me, Object monitor, int times) {
        synchronized (Control.LOCK) {
            Held held = monitors.get(monitor);
            if (held == null)
                monitors.put(monitor, held = new Held());
            if (held.owner == null)
                taken(me, monitor);
            if (held.owner == null || held.owner == me) {
                held.owner = me;
                held.times += times;
                return true;
            }
            block(me, BLOCKED, monitor, Clock.FOREVER);
            me.owner = held.owner;
            return false;
        }
    }

    /** Before a monitor is really entered, behind its point: returns when nobody else has it. */
    public static void enter(Runner me, Object monitor) {
        while (!take(me, monitor, 1))
            waitThere(me);
    }

    /** After it was really left. */
    public static void exit(Runner me, Object monitor) {
        synchronized (Control.LOCK) {
            Held held = monitors.get(monitor);
            if (held == null || held.owner != me || --held.times > 0)
                return;
            monitors.remove(monitor);
            unblock(monitor);
        }
        me.spinning.changed();
    }

    /** Waits at the monitor, which the thread holds, behind the point of that. True: it was
     * interrupted. */
    public static boolean await(Runner me, Object monitor, long deadline) {
        int times;
        synchronized (Control.LOCK) {
            Held held = monitors.remove(monitor);
            times = held == null ? 1 : held.times;
            unblock(monitor);
            block(me, WAITING, monitor, deadline);
            me.queued = me.mayBeInterrupted = true;
            me.monitor = monitor;
        }
        waitThere(me); // and for the monitor: who gets the baton here can have that, too
        me.monitor = null;
        boolean interrupted = me.interrupted;
        while (!take(me, monitor, times))
            waitThere(me);
        return interrupted;
    }

    /** Of those in the queue, by default who waits longest. */
    private static Runner chooseWoken(Runner me, Object monitor) {
        Runner oldest = null, any = null;
        long count = 0;
        for (Runner runner : Control.live) {
            if (!runner.queued || runner.blockedOn != monitor)
                continue;
            if (oldest == null || runner.ticket < oldest.ticket)
                oldest = runner;
            if (Strategy.isRandom() && Strategy.randomBelow(++count) == 0)
                any = runner;
        }
        if (oldest == null)
            return null;
        int ordinal = me.wakes++;
        Runner planned = Deviations.follow(me, WAKE, ordinal);
        Runner chosen = planned != null ? planned : any != null ? any : oldest;
        if (!chosen.queued || chosen.blockedOn != monitor)
            chosen = oldest;
        if (chosen != oldest)
            Deviations.note(me, chosen, WAKE, ordinal);
        return chosen;
    }

    /** The thread, which holds the monitor, notifies one of those who wait there, or all. Who is
     * woken waits for the monitor next. */
    public static void notify(Runner me, Object monitor, boolean all) {
        synchronized (Control.LOCK) {
            Runner woken;
            do {
                woken = chooseWoken(me, monitor);
                if (woken == null)
                    break;
                woken.woken = true;
                release(woken);
                Control.vain = Control.yields = 0;
            } while (all);
        }
    }

    // ---- LockSupport ----

    /** True: the thread need not wait, as it has a permit, which is taken. */
    public static boolean takePermit(Runner me) {
        synchronized (Control.LOCK) {
            boolean had = me.permit;
            me.permit = false;
            return had;
        }
    }

    /** Behind takePermit. `owner` may be null: who has what the thread waits for. */
    public static void park(Runner me, Runner owner, long deadline) {
        synchronized (Control.LOCK) {
            if (me.permit) {
                me.permit = false;
                return;
            }
            block(me, BLOCKED, me.permits, deadline);
            me.owner = owner;
            me.queued = me.mayBeInterrupted = true;
        }
        waitThere(me);
        me.permit = false;
    }

    public static void unpark(Runner runner) {
        synchronized (Control.LOCK) {
            runner.permit = true;
            if (runner.state != BLOCKED || runner.blockedOn != runner.permits)
                return;
            runner.woken = true;
            Control.vain = Control.yields = 0;
            Control.makeReady(runner);
        }
        dispatch();
    }

    /** Somebody has interrupted the thread. */
    public static void interrupt(Runner runner) {
        synchronized (Control.LOCK) {
            if (!runner.mayBeInterrupted || runner.state == READY || runner.state == OUTSIDE
                    || runner.woken || runner.timedOut)
                return;
            runner.interrupted = true;
            Control.vain = Control.yields = 0;
            release(runner);
        }
        dispatch();
    }

    // ---- time, and the ends of threads ----

    /** True: it was interrupted. */
    public static boolean sleep(Runner me, long deadline) {
        synchronized (Control.LOCK) {
            block(me, SLEEPING, me, deadline);
            me.mayBeInterrupted = true;
        }
        waitThere(me);
        return me.interrupted;
    }

    /** Behind a point. False: it has not ended, as time is up, or the thread was interrupted. */
    public static boolean join(Runner me, Runner other, long deadline) {
        for (;;) {
            synchronized (Control.LOCK) {
                if (other.state == ENDED)
                    return true;
                block(me, BLOCKED, other, deadline);
                me.owner = other;
                me.mayBeInterrupted = true;
            }
            waitThere(me);
            if (me.timedOut || me.interrupted)
                return false;
        }
    }

    private Waiting() {}
}
