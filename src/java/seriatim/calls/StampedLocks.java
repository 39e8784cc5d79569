package seriatim.calls;

import static seriatim.control.ControlLayout.*;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.StampedLock;
import seriatim.run.Guesses;
import seriatim.run.Sync;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

/** Stamped locks. Optimistic reads take no lock: Guesses.java has what is read then. */
@Replaces(StampedLock.class)
public final class StampedLocks {
    private static long acquired(StampedLock lock, long stamp, ThreadState t, int site) {
        if (stamp != 0)
            Sync.acquire(t, lock, kindOf(stamp), site);
        return stamp;
    }

    private static int kindOf(long stamp) {
        return StampedLock.isWriteLockStamp(stamp) ? Sync.WRITING : Sync.READING;
    }

    private static void releasing(StampedLock lock, long stamp, ThreadState t, int site) {
        if (StampedLock.isLockStamp(stamp))
            Sync.release(t, lock, kindOf(stamp), site);
    }

    public static long writeLock(StampedLock lock, ThreadState t, int site) {
        Turns.point(AT_LOCK, lock, t, site);
        return acquired(lock, lock.writeLock(), t, site);
    }

    public static long readLock(StampedLock lock, ThreadState t, int site) {
        Turns.point(AT_READ_LOCK, lock, t, site);
        return acquired(lock, lock.readLock(), t, site);
    }

    public static long writeLockInterruptibly(StampedLock lock, ThreadState t, int site)
            throws InterruptedException {
        Turns.point(AT_LOCK, lock, t, site);
        return acquired(lock, lock.writeLockInterruptibly(), t, site);
    }

    public static long readLockInterruptibly(StampedLock lock, ThreadState t, int site)
            throws InterruptedException {
        Turns.point(AT_READ_LOCK, lock, t, site);
        return acquired(lock, lock.readLockInterruptibly(), t, site);
    }

    public static long tryWriteLock(StampedLock lock, ThreadState t, int site) {
        Turns.point(AT_TRY_LOCK, lock, t, site);
        return acquired(lock, lock.tryWriteLock(), t, site);
    }

    public static long tryWriteLock(StampedLock lock, long time, TimeUnit unit, ThreadState t,
            int site) throws InterruptedException {
        Turns.point(AT_TRY_LOCK, lock, t, site);
        return acquired(lock, lock.tryWriteLock(time, unit), t, site);
    }

    public static long tryReadLock(StampedLock lock, ThreadState t, int site) {
        Turns.point(AT_TRY_LOCK, lock, t, site);
        return acquired(lock, lock.tryReadLock(), t, site);
    }

    public static long tryReadLock(StampedLock lock, long time, TimeUnit unit, ThreadState t,
            int site) throws InterruptedException {
        Turns.point(AT_TRY_LOCK, lock, t, site);
        return acquired(lock, lock.tryReadLock(time, unit), t, site);
    }

    public static void unlockWrite(StampedLock lock, long stamp, ThreadState t, int site) {
        Turns.point(AT_UNLOCK, lock, t, site);
        releasing(lock, stamp, t, site);
        lock.unlockWrite(stamp);
    }

    public static void unlockRead(StampedLock lock, long stamp, ThreadState t, int site) {
        Turns.point(AT_UNLOCK, lock, t, site);
        releasing(lock, stamp, t, site);
        lock.unlockRead(stamp);
    }

    public static void unlock(StampedLock lock, long stamp, ThreadState t, int site) {
        Turns.point(AT_UNLOCK, lock, t, site);
        releasing(lock, stamp, t, site);
        lock.unlock(stamp);
    }

    public static long tryOptimisticRead(StampedLock lock, ThreadState t, int site) {
        Guesses.begin(t);
        return lock.tryOptimisticRead();
    }

    private static void judged(StampedLock lock, boolean valid, ThreadState t, int site) {
        if (valid)
            Guesses.hold(t, lock, site);
        else
            Guesses.end(t, false);
    }

    public static boolean validate(StampedLock lock, long stamp, ThreadState t, int site) {
        boolean valid = lock.validate(stamp);
        judged(lock, valid, t, site);
        if (valid && !StampedLock.isLockStamp(stamp))
            Guesses.begin(t); // it may be asked again
        return valid;
    }

    /** The side that was held is given up when the other one is held. */
    private static long converted(
            StampedLock lock, long before, long after, ThreadState t, int site) {
        if (!StampedLock.isLockStamp(before))
            judged(lock, after != 0, t, site);
        if (after == 0 || after == before)
            return after;
        releasing(lock, before, t, site);
        return StampedLock.isLockStamp(after) ? acquired(lock, after, t, site) : after;
    }

    public static long tryConvertToWriteLock(StampedLock lock, long stamp, ThreadState t, int site) {
        Turns.point(AT_TRY_LOCK, lock, t, site);
        return converted(lock, stamp, lock.tryConvertToWriteLock(stamp), t, site);
    }

    public static long tryConvertToReadLock(StampedLock lock, long stamp, ThreadState t, int site) {
        Turns.point(AT_TRY_LOCK, lock, t, site);
        return converted(lock, stamp, lock.tryConvertToReadLock(stamp), t, site);
    }

    public static long tryConvertToOptimisticRead(
            StampedLock lock, long stamp, ThreadState t, int site) {
        Turns.point(AT_TRY_LOCK, lock, t, site);
        return converted(lock, stamp, lock.tryConvertToOptimisticRead(stamp), t, site);
    }

    private StampedLocks() {}
}
