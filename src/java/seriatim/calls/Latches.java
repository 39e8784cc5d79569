package seriatim.calls;

import static seriatim.control.ControlLayout.*;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import seriatim.run.Sync;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

@Replaces(CountDownLatch.class)
public final class Latches {
    public static void countDown(CountDownLatch latch, ThreadState t, int site) {
        Turns.point(AT_COND_SIGNAL, latch, t, site);
        Sync.send(t, latch, 0, site);
        latch.countDown();
    }

    public static void await(CountDownLatch latch, ThreadState t, int site)
            throws InterruptedException {
        Turns.point(AT_COND_WAIT, latch, t, site);
        Sync.split(t);
        latch.await();
        Sync.receive(t, latch, 0, site);
    }

    public static boolean await(CountDownLatch latch, long time, TimeUnit unit, ThreadState t,
            int site) throws InterruptedException {
        Turns.point(AT_COND_WAIT, latch, t, site);
        Sync.split(t);
        boolean open = latch.await(time, unit);
        if (open)
            Sync.receive(t, latch, 0, site);
        return open;
    }

    public static long getCount(CountDownLatch latch, ThreadState t, int site) {
        Turns.point(AT_ATOMIC_READ, latch, t, site);
        long count = latch.getCount();
        if (count == 0)
            Sync.receive(t, latch, 0, site);
        return count;
    }

    private Latches() {}
}
