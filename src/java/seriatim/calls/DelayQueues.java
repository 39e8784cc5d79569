package seriatim.calls;

import static seriatim.control.ControlLayout.*;

import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import seriatim.run.Sync;
import seriatim.run.ThreadState;

/** The methods of a DelayQueue whose items are not any objects: like Queues. */
@Replaces(DelayQueue.class)
public final class DelayQueues {
    @SuppressWarnings("unchecked")
    private static DelayQueue<Delayed> giving(DelayQueue<?> queue, ThreadState t, int site) {
        Queues.point(AT_COND_SIGNAL, queue, t, site);
        Queues.giving(queue, t, site);
        return (DelayQueue<Delayed>) queue;
    }

    private static Delayed taken(DelayQueue<?> queue, Delayed item, ThreadState t, int site) {
        return (Delayed) Queues.taken(queue, item, t, site);
    }

    public static boolean add(DelayQueue<?> queue, Delayed item, ThreadState t, int site) {
        return giving(queue, t, site).add(item);
    }

    public static boolean offer(DelayQueue<?> queue, Delayed item, ThreadState t, int site) {
        return giving(queue, t, site).offer(item);
    }

    public static boolean offer(DelayQueue<?> queue, Delayed item, long time, TimeUnit unit,
            ThreadState t, int site) {
        return giving(queue, t, site).offer(item, time, unit);
    }

    public static void put(DelayQueue<?> queue, Delayed item, ThreadState t, int site) {
        giving(queue, t, site).put(item);
    }

    public static Delayed peek(DelayQueue<?> queue, ThreadState t, int site) {
        Queues.point(AT_SEM_WAIT, queue, t, site);
        return taken(queue, queue.peek(), t, site);
    }

    public static Delayed poll(DelayQueue<?> queue, ThreadState t, int site) {
        Queues.point(AT_SEM_WAIT, queue, t, site);
        return taken(queue, queue.poll(), t, site);
    }

    public static Delayed poll(
            DelayQueue<?> queue, long time, TimeUnit unit, ThreadState t, int site)
            throws InterruptedException {
        Queues.point(AT_SEM_WAIT, queue, t, site);
        Sync.split(t);
        return taken(queue, queue.poll(time, unit), t, site);
    }

    public static Delayed take(DelayQueue<?> queue, ThreadState t, int site)
            throws InterruptedException {
        Queues.point(AT_COND_WAIT, queue, t, site);
        Sync.split(t);
        return taken(queue, queue.take(), t, site);
    }

    private DelayQueues() {}
}
