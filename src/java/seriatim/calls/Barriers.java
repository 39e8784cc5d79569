package seriatim.calls;

import static seriatim.control.ControlLayout.*;

import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import seriatim.run.Sync;
import seriatim.run.Tasks;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

@Replaces(CyclicBarrier.class)
public final class Barriers {
    public static int await(CyclicBarrier barrier, ThreadState t, int site)
            throws InterruptedException, BrokenBarrierException {
        Turns.point(AT_BARRIER, barrier, t, site);
        int channel = Tasks.channelOf(barrier, t);
        Sync.send(t, barrier, channel, site);
        Sync.split(t);
        try {
            return barrier.await();
        } finally {
            Sync.receive(t, barrier, channel, site);
        }
    }

    public static int await(CyclicBarrier barrier, long time, TimeUnit unit, ThreadState t, int site)
            throws InterruptedException, BrokenBarrierException, TimeoutException {
        Turns.point(AT_BARRIER, barrier, t, site);
        int channel = Tasks.channelOf(barrier, t);
        Sync.send(t, barrier, channel, site);
        Sync.split(t);
        try {
            return barrier.await(time, unit);
        } finally {
            Sync.receive(t, barrier, channel, site);
        }
    }

    private Barriers() {}
}
