package seriatim.calls;

import static seriatim.control.ControlLayout.*;

import java.util.Deque;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import seriatim.run.Sync;
import seriatim.run.ThreadState;

/** Both ends of queues that have two: like Queues. */
@Replaces({
    Deque.class, BlockingDeque.class, LinkedBlockingDeque.class, ConcurrentLinkedDeque.class
})
public final class Deques {
    @SuppressWarnings("unchecked")
    private static Deque<Object> giving(
            Deque<?> deque, Object item, ThreadState t, int site) {
        Queues.point(AT_COND_SIGNAL, deque, t, site);
        Queues.giving(deque, item, t, site);
        return (Deque<Object>) deque;
    }

    private static BlockingDeque<Object> blocking(
            Deque<?> deque, Object item, ThreadState t, int site) {
        return (BlockingDeque<Object>) giving(deque, item, t, site);
    }

    private static <D extends Deque<?>> D taking(D deque, ThreadState t, int site) {
        Queues.point(AT_SEM_WAIT, deque, t, site);
        return deque;
    }

    /** The thread waits until there is something. */
    private static <D extends Deque<?>> D waiting(D deque, ThreadState t, int site) {
        Queues.point(AT_COND_WAIT, deque, t, site);
        Sync.split(t);
        return deque;
    }

    public static void addFirst(
            Deque<?> deque, Object item, ThreadState t, int site) {
        giving(deque, item, t, site).addFirst(item);
    }

    public static boolean offerFirst(
            Deque<?> deque, Object item, ThreadState t, int site) {
        return giving(deque, item, t, site).offerFirst(item);
    }

    public static boolean offerFirst(
            BlockingDeque<?> deque, Object item, long time, TimeUnit unit, ThreadState t, int site)
            throws InterruptedException {
        return blocking(deque, item, t, site).offerFirst(item, time, unit);
    }

    public static void putFirst(
            BlockingDeque<?> deque, Object item, ThreadState t, int site)
            throws InterruptedException {
        blocking(deque, item, t, site).putFirst(item);
    }

    public static void addLast(
            Deque<?> deque, Object item, ThreadState t, int site) {
        giving(deque, item, t, site).addLast(item);
    }

    public static boolean offerLast(
            Deque<?> deque, Object item, ThreadState t, int site) {
        return giving(deque, item, t, site).offerLast(item);
    }

    public static boolean offerLast(
            BlockingDeque<?> deque, Object item, long time, TimeUnit unit, ThreadState t, int site)
            throws InterruptedException {
        return blocking(deque, item, t, site).offerLast(item, time, unit);
    }

    public static void putLast(
            BlockingDeque<?> deque, Object item, ThreadState t, int site)
            throws InterruptedException {
        blocking(deque, item, t, site).putLast(item);
    }

    public static void push(
            Deque<?> deque, Object item, ThreadState t, int site) {
        giving(deque, item, t, site).push(item);
    }

    public static Object removeFirst(Deque<?> deque, ThreadState t, int site) {
        return Queues.taken(deque, taking(deque, t, site).removeFirst(), t, site);
    }

    public static Object pollFirst(Deque<?> deque, ThreadState t, int site) {
        return Queues.taken(deque, taking(deque, t, site).pollFirst(), t, site);
    }

    public static Object getFirst(Deque<?> deque, ThreadState t, int site) {
        return Queues.taken(deque, taking(deque, t, site).getFirst(), t, site);
    }

    public static Object peekFirst(Deque<?> deque, ThreadState t, int site) {
        return Queues.taken(deque, taking(deque, t, site).peekFirst(), t, site);
    }

    public static Object takeFirst(BlockingDeque<?> deque, ThreadState t, int site)
            throws InterruptedException {
        return Queues.taken(deque, waiting(deque, t, site).takeFirst(), t, site);
    }

    public static Object pollFirst(BlockingDeque<?> deque, long time, TimeUnit unit, ThreadState t, int site)
            throws InterruptedException {
        return Queues.taken(deque, waiting(deque, t, site).pollFirst(time, unit), t, site);
    }

    public static Object removeLast(Deque<?> deque, ThreadState t, int site) {
        return Queues.taken(deque, taking(deque, t, site).removeLast(), t, site);
    }

    public static Object pollLast(Deque<?> deque, ThreadState t, int site) {
        return Queues.taken(deque, taking(deque, t, site).pollLast(), t, site);
    }

    public static Object getLast(Deque<?> deque, ThreadState t, int site) {
        return Queues.taken(deque, taking(deque, t, site).getLast(), t, site);
    }

    public static Object peekLast(Deque<?> deque, ThreadState t, int site) {
        return Queues.taken(deque, taking(deque, t, site).peekLast(), t, site);
    }

    public static Object takeLast(BlockingDeque<?> deque, ThreadState t, int site)
            throws InterruptedException {
        return Queues.taken(deque, waiting(deque, t, site).takeLast(), t, site);
    }

    public static Object pollLast(BlockingDeque<?> deque, long time, TimeUnit unit, ThreadState t, int site)
            throws InterruptedException {
        return Queues.taken(deque, waiting(deque, t, site).pollLast(time, unit), t, site);
    }

    public static Object pop(Deque<?> deque, ThreadState t, int site) {
        return Queues.taken(deque, taking(deque, t, site).pop(), t, site);
    }

    private Deques() {}
}
