package seriatim.calls;

import static seriatim.control.ControlLayout.*;

import java.util.concurrent.locks.LockSupport;
import seriatim.run.Sync;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

/** What a thread did before it unparks another comes before what that does next. */
@Replaces(value = LockSupport.class, isStatic = true)
public final class Parking {
    private static final int CHANNEL = 4;

    public static void unpark(Thread thread, ThreadState t, int site) {
        Turns.point(AT_FUTEX_WAKE, thread, t, site);
        Sync.send(t, thread, CHANNEL, site);
        LockSupport.unpark(thread);
    }

    private static void parked(ThreadState t, int site) {
        Sync.receive(t, Thread.currentThread(), CHANNEL, site);
    }

    public static void park(ThreadState t, int site) {
        Turns.point(AT_FUTEX_WAIT, null, t, site);
        Sync.split(t);
        LockSupport.park();
        parked(t, site);
    }

    public static void park(Object blocker, ThreadState t, int site) {
        Turns.point(AT_FUTEX_WAIT, null, t, site);
        Sync.split(t);
        LockSupport.park(blocker);
        parked(t, site);
    }

    public static void parkNanos(long time, ThreadState t, int site) {
        Turns.point(AT_FUTEX_WAIT, null, t, site);
        Sync.split(t);
        LockSupport.parkNanos(time);
        parked(t, site);
    }

    public static void parkNanos(Object blocker, long time, ThreadState t, int site) {
        Turns.point(AT_FUTEX_WAIT, null, t, site);
        Sync.split(t);
        LockSupport.parkNanos(blocker, time);
        parked(t, site);
    }

    public static void parkUntil(long deadline, ThreadState t, int site) {
        Turns.point(AT_FUTEX_WAIT, null, t, site);
        Sync.split(t);
        LockSupport.parkUntil(deadline);
        parked(t, site);
    }

    public static void parkUntil(Object blocker, long deadline, ThreadState t, int site) {
        Turns.point(AT_FUTEX_WAIT, null, t, site);
        Sync.split(t);
        LockSupport.parkUntil(blocker, deadline);
        parked(t, site);
    }

    private Parking() {}
}
