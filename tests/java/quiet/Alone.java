/** Threads that take locks, each its own, and share nothing but a sum at the end. */
public class Alone {
    private static final int TURNS = 10_000;
    private static final Object lock = new Object();
    private static long sum;
    private long value;

    synchronized void add() {
        value++;
    }

    private void addAll() {
        for (int turn = 0; turn < TURNS; turn++) {
            add();
        }
    }

    void work() {
        addAll();
        synchronized (lock) {
            sum += value;
        }
    }

    public static void main(String[] arguments) throws Exception {
        Thread[] threads = {new Thread(new Alone()::work), new Thread(new Alone()::work)};
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (sum != 2 * TURNS) {
            throw new IllegalStateException();
        }
    }
}
