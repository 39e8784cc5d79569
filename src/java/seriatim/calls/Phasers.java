package seriatim.calls;

import static seriatim.control.ControlLayout.*;

import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import seriatim.run.Sync;
import seriatim.run.Tasks;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

@Replaces(Phaser.class)
public final class Phasers {
    public static int arrive(Phaser phaser, ThreadState t, int site) {
        Turns.point(AT_BARRIER, phaser, t, site);
        Sync.send(t, phaser, Tasks.channelOf(phaser, t), site);
        return phaser.arrive();
    }

    public static int arriveAndDeregister(Phaser phaser, ThreadState t, int site) {
        Turns.point(AT_BARRIER, phaser, t, site);
        Sync.send(t, phaser, Tasks.channelOf(phaser, t), site);
        return phaser.arriveAndDeregister();
    }

    public static int arriveAndAwaitAdvance(Phaser phaser, ThreadState t, int site) {
        Turns.point(AT_BARRIER, phaser, t, site);
        int channel = Tasks.channelOf(phaser, t);
        Sync.send(t, phaser, channel, site);
        Sync.split(t);
        int phase = phaser.arriveAndAwaitAdvance();
        Sync.receive(t, phaser, channel, site);
        return phase;
    }

    public static int awaitAdvance(Phaser phaser, int phase, ThreadState t, int site) {
        Turns.point(AT_BARRIER, phaser, t, site);
        Sync.split(t);
        int next = phaser.awaitAdvance(phase);
        Sync.receive(t, phaser, Tasks.channelOf(phase), site);
        return next;
    }

    public static int awaitAdvanceInterruptibly(Phaser phaser, int phase, ThreadState t, int site)
            throws InterruptedException {
        Turns.point(AT_BARRIER, phaser, t, site);
        Sync.split(t);
        int next = phaser.awaitAdvanceInterruptibly(phase);
        Sync.receive(t, phaser, Tasks.channelOf(phase), site);
        return next;
    }

    public static int awaitAdvanceInterruptibly(Phaser phaser, int phase, long time, TimeUnit unit,
            ThreadState t, int site) throws InterruptedException, TimeoutException {
        Turns.point(AT_BARRIER, phaser, t, site);
        Sync.split(t);
        int next = phaser.awaitAdvanceInterruptibly(phase, time, unit);
        Sync.receive(t, phaser, Tasks.channelOf(phase), site);
        return next;
    }

    private Phasers() {}
}
