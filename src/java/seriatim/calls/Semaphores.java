package seriatim.calls;

import static seriatim.control.ControlLayout.*;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import seriatim.run.Sync;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

/** Semaphores: with one permit they may be locks, which the watcher finds out. */
@Replaces(Semaphore.class)
public final class Semaphores {
    private static final int MOST_EVENTS = 64;

    private static void acquired(Semaphore semaphore, int permits, ThreadState t, int site) {
        for (int i = 0; i < Math.min(permits, MOST_EVENTS); i++)
            Sync.acquire(t, semaphore, Sync.SEMAPHORE, site);
    }

    public static void acquire(Semaphore semaphore, ThreadState t, int site)
            throws InterruptedException {
        Turns.point(AT_SEM_WAIT, semaphore, t, site);
        Sync.semaphoreSeen(t, semaphore, site);
        semaphore.acquire();
        acquired(semaphore, 1, t, site);
    }

    public static void acquire(Semaphore semaphore, int permits, ThreadState t, int site)
            throws InterruptedException {
        Turns.point(AT_SEM_WAIT, semaphore, t, site);
        Sync.semaphoreSeen(t, semaphore, site);
        semaphore.acquire(permits);
        acquired(semaphore, permits, t, site);
    }

    public static void acquireUninterruptibly(Semaphore semaphore, ThreadState t, int site) {
        Turns.point(AT_SEM_WAIT, semaphore, t, site);
        Sync.semaphoreSeen(t, semaphore, site);
        semaphore.acquireUninterruptibly();
        acquired(semaphore, 1, t, site);
    }

    public static void acquireUninterruptibly(
            Semaphore semaphore, int permits, ThreadState t, int site) {
        Turns.point(AT_SEM_WAIT, semaphore, t, site);
        Sync.semaphoreSeen(t, semaphore, site);
        semaphore.acquireUninterruptibly(permits);
        acquired(semaphore, permits, t, site);
    }

    public static boolean tryAcquire(Semaphore semaphore, ThreadState t, int site) {
        return tryAcquire(semaphore, 1, t, site);
    }

    public static boolean tryAcquire(Semaphore semaphore, int permits, ThreadState t, int site) {
        Turns.point(AT_SEM_WAIT, semaphore, t, site);
        Sync.semaphoreSeen(t, semaphore, site);
        boolean done = semaphore.tryAcquire(permits);
        if (done)
            acquired(semaphore, permits, t, site);
        return done;
    }

    public static boolean tryAcquire(Semaphore semaphore, long time, TimeUnit unit, ThreadState t,
            int site) throws InterruptedException {
        return tryAcquire(semaphore, 1, time, unit, t, site);
    }

    public static boolean tryAcquire(Semaphore semaphore, int permits, long time, TimeUnit unit,
            ThreadState t, int site) throws InterruptedException {
        Turns.point(AT_SEM_WAIT, semaphore, t, site);
        Sync.semaphoreSeen(t, semaphore, site);
        boolean done = semaphore.tryAcquire(permits, time, unit);
        if (done)
            acquired(semaphore, permits, t, site);
        return done;
    }

    public static void release(Semaphore semaphore, ThreadState t, int site) {
        release(semaphore, 1, t, site);
    }

    public static void release(Semaphore semaphore, int permits, ThreadState t, int site) {
        Turns.point(AT_SEM_POST, semaphore, t, site);
        Sync.semaphoreSeen(t, semaphore, site);
        for (int i = 0; i < Math.min(permits, MOST_EVENTS); i++)
            Sync.release(t, semaphore, Sync.SEMAPHORE, site);
        semaphore.release(permits);
    }

    private Semaphores() {}
}
