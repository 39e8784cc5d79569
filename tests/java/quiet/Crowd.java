import java.util.Random;

/** Many threads and locks, up to twenty of them at once; each value is accessed under the lock of its object. */
public class Crowd {
    private static final int OBJECTS = 24, DEPTH = 20, TURNS = 300, THREADS = 6, ROUNDS = 3;
    private static final Crowd[] all = new Crowd[OBJECTS];
    private int value;

    synchronized int get() {
        return value;
    }

    synchronized void set(int next) {
        value = next;
    }

    synchronized int getAfterAWhile() throws InterruptedException {
        synchronized (this) {
            wait(1);
        }
        return value;
    }

    private static int nested(int from, int depth, Random random) {
        if (depth == 0 || from >= OBJECTS) {
            return 0;
        }
        synchronized (all[from]) {
            int sum = all[from].value + nested(from + 1 + random.nextInt(2), depth - 1, random);
            if (random.nextInt(4) == 0) {
                all[from].value = sum;
            }
            return sum;
        }
    }

    private static Crowd any(Random random) {
        return all[random.nextInt(OBJECTS)];
    }

    static void move(Random random) {
        Crowd from = any(random), to = any(random);
        to.set(from.get() + 1);
        from.set(to.get());
    }

    private static void work(int seed) {
        Random random = new Random(seed);
        try {
            for (int i = 0; i < TURNS; i++) {
                int kind = random.nextInt(100);
                if (kind < 30) {
                    nested(0, DEPTH, random);
                } else if (kind < 32) {
                    any(random).getAfterAWhile();
                } else {
                    move(random);
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < OBJECTS; i++) {
            all[i] = new Crowd();
        }
        for (int round = 0; round < ROUNDS; round++) {
            Thread[] threads = new Thread[THREADS];
            for (int i = 0; i < THREADS; i++) {
                int seed = round * THREADS + i;
                threads[i] = new Thread(() -> work(seed));
                threads[i].start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }
}
