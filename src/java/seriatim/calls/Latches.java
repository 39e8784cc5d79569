package seriatim.calls;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import seriatim.run.Sync;
import seriatim.run.ThreadState;

@Replaces(CountDownLatch.class)
public final class Latches {
    public static void countDown(CountDownLatch latch, ThreadState t, int site) {
        Sync.send(t, latch, 0, site);
        latch.countDown();
    }

    public static void await(CountDownLatch latch, ThreadState t, int site)
            throws InterruptedException {
        Sync.split(t);
        latch.await();
        Sync.receive(t, latch, 0, site);
    }

    public static boolean await(CountDownLatch latch, long time, TimeUnit unit, ThreadState t,
            int site) throws InterruptedException {
        Sync.split(t);
        boolean open = latch.await(time, unit);
        if (open)
            Sync.receive(t, latch, 0, site);
        return open;
    }

    public static long getCount(CountDownLatch latch, ThreadState t, int site) {
        long count = latch.getCount();
        if (count == 0)
            Sync.receive(t, latch, 0, site);
        return count;
    }

    private Latches() {}
}
