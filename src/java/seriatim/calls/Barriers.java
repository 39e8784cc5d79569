package seriatim.calls;

import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import seriatim.run.Sync;
import seriatim.run.ThreadState;

@Replaces(CyclicBarrier.class)
public final class Barriers {
    public static int await(CyclicBarrier barrier, ThreadState t, int site)
            throws InterruptedException, BrokenBarrierException {
        Sync.send(t, barrier, 0, site);
        Sync.split(t);
        try {
            return barrier.await();
        } finally {
            Sync.receive(t, barrier, 0, site);
        }
    }

    public static int await(CyclicBarrier barrier, long time, TimeUnit unit, ThreadState t, int site)
            throws InterruptedException, BrokenBarrierException, TimeoutException {
        Sync.send(t, barrier, 0, site);
        Sync.split(t);
        try {
            return barrier.await(time, unit);
        } finally {
            Sync.receive(t, barrier, 0, site);
        }
    }

    private Barriers() {}
}
