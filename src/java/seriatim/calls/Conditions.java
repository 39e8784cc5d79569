package seriatim.calls;

import static seriatim.control.ControlLayout.*;

import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import seriatim.run.LockIdentity;
import seriatim.run.Sync;
import seriatim.run.Synchronizers;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

/** Waiting at a condition gives its lock up. */
@Replaces(Condition.class)
public final class Conditions {
    /** How often the lock was held. What the program's own does is emitted from its methods. */
    private static int begin(Object lock, ThreadState t, int site) {
        boolean ofProgram = lock != null && !LockIdentity.isOfJdk(lock);
        if (ofProgram)
            t.waitsAtCondition = Synchronizers.isKnown(lock);
        int times = lock == null || ofProgram ? 0 : LockIdentity.timesHeld(lock);
        for (int i = 0; i < times; i++)
            Sync.release(t, lock, kindOf(lock), site);
        Sync.split(t);
        return times;
    }

    private static int kindOf(Object lock) {
        return LockIdentity.isMutex(lock) ? Sync.MUTEX : Sync.WRITING;
    }

    private static void end(Object lock, int times, ThreadState t, int site) {
        t.waitsAtCondition = false;
        for (int i = 0; i < times; i++)
            Sync.acquire(t, lock, kindOf(lock), site);
    }

    public static void await(Condition condition, ThreadState t, int site)
            throws InterruptedException {
        Turns.point(AT_COND_WAIT, condition, t, site);
        Object lock = LockIdentity.of(condition);
        int times = begin(lock, t, site);
        try {
            condition.await();
        } finally {
            end(lock, times, t, site);
        }
    }

    public static void awaitUninterruptibly(Condition condition, ThreadState t, int site) {
        Turns.point(AT_COND_WAIT, condition, t, site);
        Object lock = LockIdentity.of(condition);
        int times = begin(lock, t, site);
        try {
            condition.awaitUninterruptibly();
        } finally {
            end(lock, times, t, site);
        }
    }

    public static boolean await(Condition condition, long time, TimeUnit unit, ThreadState t,
            int site) throws InterruptedException {
        Turns.point(AT_COND_WAIT, condition, t, site);
        Object lock = LockIdentity.of(condition);
        int times = begin(lock, t, site);
        try {
            return condition.await(time, unit);
        } finally {
            end(lock, times, t, site);
        }
    }

    public static long awaitNanos(Condition condition, long time, ThreadState t, int site)
            throws InterruptedException {
        Turns.point(AT_COND_WAIT, condition, t, site);
        Object lock = LockIdentity.of(condition);
        int times = begin(lock, t, site);
        try {
            return condition.awaitNanos(time);
        } finally {
            end(lock, times, t, site);
        }
    }

    public static boolean awaitUntil(Condition condition, Date deadline, ThreadState t, int site)
            throws InterruptedException {
        Turns.point(AT_COND_WAIT, condition, t, site);
        Object lock = LockIdentity.of(condition);
        int times = begin(lock, t, site);
        try {
            return condition.awaitUntil(deadline);
        } finally {
            end(lock, times, t, site);
        }
    }

    private Conditions() {}
}
