package seriatim.calls;

import static seriatim.control.ControlLayout.*;

import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TransferQueue;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import seriatim.run.Sync;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

/** Queues: what is put in comes before what those do who take something out. */
@Replaces({
    Queue.class, Deque.class, BlockingQueue.class, TransferQueue.class, BlockingDeque.class,
    ArrayBlockingQueue.class, LinkedBlockingQueue.class, LinkedBlockingDeque.class,
    LinkedTransferQueue.class, PriorityBlockingQueue.class, SynchronousQueue.class,
    DelayQueue.class, ConcurrentLinkedQueue.class, ConcurrentLinkedDeque.class
})
public final class Queues {
    @SuppressWarnings("unchecked")
    private static Queue<Object> of(Queue<?> queue) {
        return (Queue<Object>) queue;
    }

    @SuppressWarnings("unchecked")
    private static BlockingQueue<Object> blocking(Queue<?> queue) {
        return (BlockingQueue<Object>) queue;
    }

    static boolean isConcurrent(Queue<?> queue) {
        return queue instanceof BlockingQueue || queue instanceof ConcurrentLinkedQueue
                || queue instanceof ConcurrentLinkedDeque;
    }

    static void giving(Queue<?> queue, ThreadState t, int site) {
        if (isConcurrent(queue))
            Sync.send(t, queue, 0, site);
        if (queue instanceof SynchronousQueue)
            Sync.split(t);
    }

    /** A thread that puts itself into a queue that makes nobody wait does not hand anything over: it waits for its turn
     * there, as for a lock that is made of such a queue. */
    static boolean isOwnPlace(Queue<?> queue, Object item) {
        return item == Thread.currentThread() && !(queue instanceof BlockingQueue);
    }

    static void giving(Queue<?> queue, Object item, ThreadState t, int site) {
        if (!isOwnPlace(queue, item))
            giving(queue, t, site);
    }

    /** Who hands something over directly goes on after it was taken. */
    private static void given(Queue<?> queue, ThreadState t, int site) {
        if (queue instanceof SynchronousQueue)
            Sync.receive(t, queue, 1, site);
    }

    private static void taking(Queue<?> queue, ThreadState t, int site) {
        if (queue instanceof SynchronousQueue)
            Sync.send(t, queue, 1, site);
    }

    static Object taken(Queue<?> queue, Object item, ThreadState t, int site) {
        if (item != null && isConcurrent(queue) && !isOwnPlace(queue, item))
            Sync.receive(t, queue, 0, site);
        return item;
    }

    /** Others are no means to wait for each other, or to share something. */
    static void point(int kind, Queue<?> queue, ThreadState t, int site) {
        if (isConcurrent(queue))
            Turns.point(kind, queue, t, site);
    }

    public static boolean add(
            Queue<?> queue, Object item, ThreadState t, int site) {
        point(AT_COND_SIGNAL, queue, t, site);
        giving(queue, item, t, site);
        boolean done = of(queue).add(item);
        given(queue, t, site);
        return done;
    }

    public static boolean offer(
            Queue<?> queue, Object item, ThreadState t, int site) {
        point(AT_COND_SIGNAL, queue, t, site);
        giving(queue, item, t, site);
        boolean done = of(queue).offer(item);
        given(queue, t, site);
        return done;
    }

    public static boolean offer(
            BlockingQueue<?> queue, Object item, long time, TimeUnit unit, ThreadState t, int site)
            throws InterruptedException {
        point(AT_COND_SIGNAL, queue, t, site);
        giving(queue, item, t, site);
        boolean done = blocking(queue).offer(item, time, unit);
        given(queue, t, site);
        return done;
    }

    public static void put(
            BlockingQueue<?> queue, Object item, ThreadState t, int site)
            throws InterruptedException {
        point(AT_COND_SIGNAL, queue, t, site);
        giving(queue, item, t, site);
        blocking(queue).put(item);
        given(queue, t, site);
    }

    public static boolean addAll(
            Queue<?> queue, Collection<?> items, ThreadState t, int site) {
        point(AT_COND_SIGNAL, queue, t, site);
        giving(queue, t, site);
        return of(queue).addAll(items);
    }

    /** Who transfers something waits until it is taken. */
    public static void transfer(
            TransferQueue<?> queue, Object item, ThreadState t, int site)
            throws InterruptedException {
        point(AT_COND_SIGNAL, queue, t, site);
        giving(queue, t, site);
        Sync.split(t);
        transferring(queue).transfer(item);
    }

    public static boolean tryTransfer(
            TransferQueue<?> queue, Object item, ThreadState t, int site) {
        point(AT_COND_SIGNAL, queue, t, site);
        giving(queue, t, site);
        return transferring(queue).tryTransfer(item);
    }

    public static boolean tryTransfer(
            TransferQueue<?> queue, Object item, long time, TimeUnit unit, ThreadState t, int site)
            throws InterruptedException {
        point(AT_COND_SIGNAL, queue, t, site);
        giving(queue, t, site);
        Sync.split(t);
        return transferring(queue).tryTransfer(item, time, unit);
    }

    @SuppressWarnings("unchecked")
    private static TransferQueue<Object> transferring(Queue<?> queue) {
        return (TransferQueue<Object>) queue;
    }

    // ---- who looks sees what others have put in ----

    private static void looked(boolean something, Queue<?> queue, ThreadState t, int site) {
        taken(queue, something ? queue : null, t, site);
    }

    public static boolean isEmpty(Queue<?> queue, ThreadState t, int site) {
        point(AT_SEM_WAIT, queue, t, site);
        boolean empty = queue.isEmpty();
        looked(!empty, queue, t, site);
        return empty;
    }

    public static int size(Queue<?> queue, ThreadState t, int site) {
        point(AT_SEM_WAIT, queue, t, site);
        int size = queue.size();
        looked(size > 0, queue, t, site);
        return size;
    }

    public static boolean contains(Queue<?> queue, Object item, ThreadState t, int site) {
        point(AT_SEM_WAIT, queue, t, site);
        boolean there = queue.contains(item);
        looked(there, queue, t, site);
        return there;
    }

    public static Iterator<?> iterator(Queue<?> queue, ThreadState t, int site) {
        point(AT_SEM_WAIT, queue, t, site);
        Iterator<?> items = queue.iterator();
        looked(true, queue, t, site);
        return items;
    }

    public static Object[] toArray(Queue<?> queue, ThreadState t, int site) {
        point(AT_SEM_WAIT, queue, t, site);
        Object[] items = queue.toArray();
        looked(items.length > 0, queue, t, site);
        return items;
    }

    public static Object[] toArray(Queue<?> queue, Object[] into, ThreadState t, int site) {
        point(AT_SEM_WAIT, queue, t, site);
        Object[] items = queue.toArray(into);
        looked(true, queue, t, site);
        return items;
    }

    /** A stream goes through the queue later, and perhaps in other threads. */
    public static Stream<?> stream(Queue<?> queue, ThreadState t, int site) {
        point(AT_SEM_WAIT, queue, t, site);
        looked(true, queue, t, site);
        if (!isConcurrent(queue))
            return queue.stream();
        return queue.stream().peek(item -> looked(true, queue, ThreadState.get(), site));
    }

    /** What is called with what is in the queue has seen who put it there. */
    public static void forEach(
            Queue<?> queue, Consumer<Object> with, ThreadState t, int site) {
        point(AT_SEM_WAIT, queue, t, site);
        of(queue).forEach(!isConcurrent(queue) ? with : item -> {
            looked(true, queue, t, site);
            with.accept(item);
        });
    }

    public static boolean removeIf(
            Queue<?> queue, Predicate<Object> wanted, ThreadState t, int site) {
        point(AT_SEM_WAIT, queue, t, site);
        return of(queue).removeIf(!isConcurrent(queue) ? wanted : item -> {
            looked(true, queue, t, site);
            return wanted.test(item);
        });
    }

    public static int drainTo(
            BlockingQueue<?> queue, Collection<Object> to, ThreadState t, int site) {
        point(AT_SEM_WAIT, queue, t, site);
        int count = blocking(queue).drainTo(to);
        looked(count > 0, queue, t, site);
        return count;
    }

    public static int drainTo(
            BlockingQueue<?> queue, Collection<Object> to, int most, ThreadState t, int site) {
        point(AT_SEM_WAIT, queue, t, site);
        int count = blocking(queue).drainTo(to, most);
        looked(count > 0, queue, t, site);
        return count;
    }

    /** Who takes out something in the middle has seen it. */
    public static boolean remove(Queue<?> queue, Object item, ThreadState t, int site) {
        point(AT_SEM_WAIT, queue, t, site);
        boolean there = queue.remove(item);
        looked(there, queue, t, site);
        return there;
    }

    public static void clear(Queue<?> queue, ThreadState t, int site) {
        point(AT_SEM_WAIT, queue, t, site);
        queue.clear();
        looked(true, queue, t, site);
    }

    // ---- taking out ----

    public static Object poll(
            Queue<?> queue, ThreadState t, int site) {
        point(AT_SEM_WAIT, queue, t, site);
        taking(queue, t, site);
        return taken(queue, of(queue).poll(), t, site);
    }

    public static Object remove(
            Queue<?> queue, ThreadState t, int site) {
        point(AT_SEM_WAIT, queue, t, site);
        taking(queue, t, site);
        return taken(queue, of(queue).remove(), t, site);
    }

    public static Object peek(
            Queue<?> queue, ThreadState t, int site) {
        point(AT_SEM_WAIT, queue, t, site);
        taking(queue, t, site);
        return taken(queue, of(queue).peek(), t, site);
    }

    public static Object element(
            Queue<?> queue, ThreadState t, int site) {
        point(AT_SEM_WAIT, queue, t, site);
        taking(queue, t, site);
        return taken(queue, of(queue).element(), t, site);
    }

    public static Object poll(
            BlockingQueue<?> queue, long time, TimeUnit unit, ThreadState t, int site)
            throws InterruptedException {
        point(AT_SEM_WAIT, queue, t, site);
        taking(queue, t, site);
        Sync.split(t);
        return taken(queue, blocking(queue).poll(time, unit), t, site);
    }

    public static Object take(
            BlockingQueue<?> queue, ThreadState t, int site)
            throws InterruptedException {
        point(AT_COND_WAIT, queue, t, site);
        taking(queue, t, site);
        Sync.split(t);
        return taken(queue, blocking(queue).take(), t, site);
    }

    private Queues() {}
}
