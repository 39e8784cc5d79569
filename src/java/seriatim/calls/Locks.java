package seriatim.calls;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import seriatim.run.LockIdentity;
import seriatim.run.Sync;
import seriatim.run.ThreadState;

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
        lock.lock();
        acquired(lock, t, site);
    }

    public static void lockInterruptibly(Lock lock, ThreadState t, int site)
            throws InterruptedException {
        lock.lockInterruptibly();
        acquired(lock, t, site);
    }

    public static boolean tryLock(Lock lock, ThreadState t, int site) {
        boolean done = lock.tryLock();
        if (done)
            acquired(lock, t, site);
        return done;
    }

    public static boolean tryLock(Lock lock, long time, TimeUnit unit, ThreadState t, int site)
            throws InterruptedException {
        boolean done = lock.tryLock(time, unit);
        if (done)
            acquired(lock, t, site);
        return done;
    }

    private static boolean isHeld(Lock lock) {
        if (lock instanceof ReentrantLock)
            return ((ReentrantLock) lock).isHeldByCurrentThread();
        if (lock instanceof ReentrantReadWriteLock.WriteLock)
            return ((ReentrantReadWriteLock.WriteLock) lock).isHeldByCurrentThread();
        return true;
    }

    public static void unlock(Lock lock, ThreadState t, int site) {
        Object identity = LockIdentity.of(lock);
        if (identity != null && isHeld(lock))
            Sync.release(t, identity, LockIdentity.kindOf(lock), site);
        lock.unlock();
    }

    private Locks() {}
}
