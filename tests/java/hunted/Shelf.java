import java.util.ArrayDeque;
import java.util.Deque;

/* A producer and a consumer wait at one monitor for a while, and notify each other: who waits there really can be
 * woken by that, too. Then two threads ask whether there is room, and put something there; the twin does both at once. */
public class Shelf {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final int ROOM = 4, ITEMS = 300;
    private final Deque<int[]> items = new ArrayDeque<>();
    private int count; // of these; what the deque does itself is not watched
    private boolean closed;

    synchronized void put(int[] item) throws InterruptedException {
        while (count == ROOM) {
            wait(5);
        }
        items.add(item);
        count++;
        notifyAll();
    }

    synchronized void close() {
        closed = true;
        notifyAll();
    }

    synchronized int[] take() throws InterruptedException {
        while (count == 0 && !closed) {
            wait(1, 500);
        }
        if (count == 0) {
            return null;
        }
        count--;
        notifyAll();
        return items.poll();
    }

    void fill() {
        try {
            for (int i = 0; i < ITEMS; i++) {
                int[] item = {i};
                put(item);
            }
            close();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    void empty() {
        try {
            int sum = 0;
            int[] item;
            while ((item = take()) != null) {
                sum += item[0];
            }
            System.out.println(sum + " taken");
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private synchronized boolean hasRoom() {
        return count == 0;
    }

    private synchronized void add(int[] item) {
        items.add(item);
        count++;
    }

    void offer(int[] item) {
        if (FIXED) {
            synchronized (this) {
                if (hasRoom()) {
                    add(item);
                }
            }
        } else if (hasRoom()) {
            add(item);
        }
    }

    private static void together(Runnable one, Runnable other) throws InterruptedException {
        Thread first = new Thread(one, "first"), second = new Thread(other, "second");
        first.start();
        second.start();
        first.join();
        second.join();
    }

    public static void main(String[] arguments) throws InterruptedException {
        Shelf shelf = new Shelf();
        together(shelf::fill, shelf::empty);
        together(() -> shelf.offer(new int[1]), () -> shelf.offer(new int[1]));
        System.out.println(shelf.count + " on the shelf");
    }
}
