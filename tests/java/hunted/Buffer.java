import java.util.ArrayDeque;
import java.util.Deque;

/* A producer and two consumers at one monitor. Who was woken does not look again whether there is
 * something, and takes what is not there. The twin looks again. */
public class Buffer {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private final Deque<Integer> items = new ArrayDeque<>();
    private int failed;

    synchronized void put(int item) {
        items.add(item);
        notifyAll();
    }

    synchronized void take() throws InterruptedException {
        if (items.isEmpty()) {
            wait();
        }
        while (FIXED && items.isEmpty()) {
            wait();
        }
        if (items.poll() == null) {
            failed++;
        }
    }

    void consume() {
        try {
            take();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Buffer buffer = new Buffer();
        Thread first = new Thread(buffer::consume, "first");
        Thread second = new Thread(buffer::consume, "second");
        first.start();
        second.start();
        buffer.put(1);
        buffer.put(2);
        first.join();
        second.join();
        System.out.println(buffer.failed + " failed");
        System.exit(buffer.failed);
    }
}
