import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/* Two threads take a monitor and a lock, in opposite order. In the twin it is the same order. */
public class Philosophers {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private final Object fork = new Object();
    private final Lock knife = new ReentrantLock();
    private int meals;

    void forkFirst() {
        synchronized (fork) {
            knife.lock();
            try {
                meals++;
            } finally {
                knife.unlock();
            }
        }
    }

    void knifeFirst() {
        if (FIXED) {
            forkFirst();
            return;
        }
        knife.lock();
        try {
            synchronized (fork) {
                meals++;
            }
        } finally {
            knife.unlock();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Philosophers table = new Philosophers();
        Thread one = new Thread(table::forkFirst, "one");
        Thread other = new Thread(table::knifeFirst, "other");
        one.start();
        other.start();
        one.join();
        other.join();
        System.out.println(table.meals + " meals");
    }
}
