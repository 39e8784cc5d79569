package unwatched;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/** What the threads of a script share, out of sight: which object it is, not what it holds. */
public final class Stage {
    public static final int THINGS = 3, ARRAYS = 4, LENGTH = 6, MONITORS = 4, LOCKS = 2;

    private static final Object[] things = new Object[THINGS], arrays = new Object[ARRAYS];
    private static final Object[] monitors = new Object[MONITORS];
    private static final AtomicInteger[] numbers = new AtomicInteger[2];
    private static final ReentrantLock[] locks = new ReentrantLock[LOCKS];
    private static final Thread[] threads = new Thread[16];
    private static int value;

    static void renew() {
        monitors[0] = new Object();
        monitors[1] = new int[1];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = new AtomicInteger();
        }
        for (int i = 0; i < LOCKS; i++) {
            locks[i] = new ReentrantLock();
        }
        java.util.Arrays.fill(threads, null);
    }

    public static Object thing(int i) {
        return things[i];
    }

    public static void setThing(int i, Object thing) {
        things[i] = thing;
    }

    public static Object array(int i) {
        return arrays[i];
    }

    public static void setArray(int i, Object array) {
        arrays[i] = array;
    }

    public static Object monitor(int i) {
        return monitors[i];
    }

    public static void setMonitor(int i, Object monitor) {
        monitors[i] = monitor;
    }

    public static AtomicInteger number(int i) {
        return numbers[i];
    }

    public static ReentrantLock lock(int i) {
        return locks[i];
    }

    public static Thread thread(int i) {
        return threads[i];
    }

    public static void setThread(int i, Thread thread) {
        threads[i] = thread;
    }

    static void joinAll() throws InterruptedException {
        for (Thread thread : threads) {
            if (thread != null) {
                thread.join();
            }
        }
    }

    /** One that was never there: so nothing looks like a flag, or like a lock. */
    public static int newValue() {
        return ++value;
    }

    private Stage() {}
}
