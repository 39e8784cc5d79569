package seriatim.calls;

import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import seriatim.run.ThreadState;

/** Who acquires a synchronizer with others waits for it, unlike who only tries (Synchronizers). */
@Replaces(AbstractQueuedSynchronizer.class)
public final class SharedSynchronizers {
    public static void acquireShared(
            AbstractQueuedSynchronizer synchronizer, int arg, ThreadState t, int site) {
        t.site = site;
        t.waitsForLatch = true;
        try {
            synchronizer.acquireShared(arg);
        } finally {
            t.waitsForLatch = false;
        }
    }

    public static void acquireSharedInterruptibly(AbstractQueuedSynchronizer synchronizer, int arg,
            ThreadState t, int site) throws InterruptedException {
        t.site = site;
        t.waitsForLatch = true;
        try {
            synchronizer.acquireSharedInterruptibly(arg);
        } finally {
            t.waitsForLatch = false;
        }
    }

    public static boolean tryAcquireSharedNanos(AbstractQueuedSynchronizer synchronizer, int arg,
            long time, ThreadState t, int site) throws InterruptedException {
        t.site = site;
        t.waitsForLatch = true;
        try {
            return synchronizer.tryAcquireSharedNanos(arg, time);
        } finally {
            t.waitsForLatch = false;
        }
    }

    private SharedSynchronizers() {}
}
