package seriatim.calls;

import static seriatim.control.ControlLayout.*;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import seriatim.run.LockIdentity;
import seriatim.run.Sync;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

/** Locks. Those that are not of the JDK are watched themselves, if they are to be. */
@Replaces({
    Lock.class,
    ReentrantLock.class,
    ReentrantReadWriteLock.ReadLock.class,
    ReentrantReadWriteLock.WriteLock.class
})
public final class Locks {
    private static void acquired(Lock lock, ThreadState t, int site) {
        Object identity = LockIdentity.of(lock);
        if (identity != null)
            Sync.acquire(t, identity, LockIdentity.kindOf(lock), site);
    }

    public static void lock(Lock lock, ThreadState t, int site) {
        Turns.point(kindOf(lock), LockIdentity.of(lock), t, site);
        lock.lock();
        acquired(lock, t, site);
    }

    public static void lockInterruptibly(Lock lock, ThreadState t, int site)
            throws InterruptedException {
        Turns.point(kindOf(lock), LockIdentity.of(lock), t, site);
        lock.lockInterruptibly();
        acquired(lock, t, site);
    }

    public static boolean tryLock(Lock lock, ThreadState t, int site) {
        Turns.point(AT_TRY_LOCK, LockIdentity.of(lock), t, site);
        boolean done = lock.tryLock();
        if (done)
            acquired(lock, t, site);
        return done;
    }

    public static boolean tryLock(Lock lock, long time, TimeUnit unit, ThreadState t, int site)
            throws InterruptedException {
        Turns.point(AT_TRY_LOCK, LockIdentity.of(lock), t, site);
        boolean done = lock.tryLock(time, unit);
        if (done)
            acquired(lock, t, site);
        return done;
    }

    private static int kindOf(Lock lock) {
        return lock instanceof ReentrantReadWriteLock.ReadLock ? AT_READ_LOCK : AT_LOCK;
    }

    private static boolean isHeld(Lock lock) {
        if (lock instanceof ReentrantLock)
            return ((ReentrantLock) lock).isHeldByCurrentThread();
        if (lock instanceof ReentrantReadWriteLock.WriteLock)
            return ((ReentrantReadWriteLock.WriteLock) lock).isHeldByCurrentThread();
        return true;
    }

    public static void unlock(Lock lock, ThreadState t, int site) {
        Turns.point(AT_UNLOCK, LockIdentity.of(lock), t, site);
        Object identity = LockIdentity.of(lock);
        if (identity != null && isHeld(lock))
            Sync.release(t, identity, LockIdentity.kindOf(lock), site);
        lock.unlock();
    }

    private Locks() {}
}
