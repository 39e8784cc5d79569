import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/**
 * Small programs of the kinds that the papers measure, written for bench/papers/programs.py: Shapes NAME SIZE. Each
 * runs in four threads.
 */
public class Shapes {
    static final int THREADS = 4;

    interface Part {
        void run(int thread, int size);
    }

    /** Philosophers: each takes two locks in turn, eats, and counts. */
    static final class Philosophers implements Part {
        static final class Fork {
            int uses;
        }

        final Fork[] forks = new Fork[THREADS];

        Philosophers() {
            for (int i = 0; i < THREADS; i++) {
                forks[i] = new Fork();
            }
        }

        void eat(Fork first, Fork second) {
            synchronized (first) {
                synchronized (second) {
                    first.uses++;
                    second.uses++;
                }
            }
        }

        @Override
        public void run(int thread, int size) {
            int next = (thread + 1) % THREADS;
            Fork first = forks[Math.min(thread, next)];
            Fork second = forks[Math.max(thread, next)];
            for (int i = 0; i < size; i++) {
                eat(first, second);
            }
        }
    }

    /** Successive over-relaxation: rows of a grid, odd and even ones in turn, with a barrier after each turn. */
    static final class Relaxation implements Part {
        static final int SIDE = 32;
        final double[][] grid = new double[SIDE + 2][SIDE + 2];
        final CyclicBarrier barrier = new CyclicBarrier(THREADS);

        void relaxRow(int row) {
            for (int i = 1; i <= SIDE; i++) {
                grid[row][i] = 0.3 * (grid[row - 1][i] + grid[row + 1][i] + grid[row][i - 1]) + 0.1;
            }
        }

        void waitForAll() {
            try {
                barrier.await();
            } catch (InterruptedException | BrokenBarrierException error) {
                throw new IllegalStateException(error);
            }
        }

        @Override
        public void run(int thread, int size) {
            for (int turn = 0; turn < 2 * size; turn++) {
                for (int row = 1 + turn % 2 + 2 * thread; row <= SIDE; row += 2 * THREADS) {
                    relaxRow(row);
                }
                waitForAll();
            }
        }
    }

    /** Monte Carlo: own random numbers, and a shared list of results. */
    static final class MonteCarlo implements Part {
        final List<Integer> results = new ArrayList<>();

        int simulate(int seed) {
            int state = seed;
            int hits = 0;
            for (int i = 0; i < 50; i++) {
                state = state * 1664525 + 1013904223;
                hits += state >>> 31;
            }
            return hits;
        }

        void add(int result) {
            synchronized (results) {
                results.add(result);
            }
        }

        @Override
        public void run(int thread, int size) {
            for (int i = 0; i < size; i++) {
                add(simulate(thread * size + i));
            }
        }
    }

    /** A search with a shared bound that is read without its lock, and checked again under it. */
    static final class Salesman implements Part {
        static final int CITIES = 7;
        volatile int best = Integer.MAX_VALUE;

        static int distance(int from, int to) {
            return (from * 31 + to * 17) % 23 + 1;
        }

        synchronized void offer(int length) {
            if (length < best) {
                best = length;
            }
        }

        void search(int city, int visited, int length) {
            if (length >= best) {
                return;
            }
            if (visited == (1 << CITIES) - 1) {
                offer(length + distance(city, 0));
                return;
            }
            for (int next = 1; next < CITIES; next++) {
                if ((visited & 1 << next) == 0) {
                    search(next, visited | 1 << next, length + distance(city, next));
                }
            }
        }

        @Override
        public void run(int thread, int size) {
            for (int i = 0; i < Math.max(1, size / 50); i++) {
                search(0, 1, 0);
            }
        }
    }

    /** A lift with a bug: whether a call is open, and taking it, are two steps. */
    static final class Elevator implements Part {
        final boolean[] calls = new boolean[16];
        int served;

        synchronized boolean isOpen(int floor) {
            return calls[floor];
        }

        synchronized void open(int floor) {
            calls[floor] = true;
        }

        synchronized void take(int floor) {
            calls[floor] = false;
            served++;
        }

        void serve(int floor) {
            if (isOpen(floor)) {
                take(floor);
            }
        }

        @Override
        public void run(int thread, int size) {
            for (int i = 0; i < size; i++) {
                open((i * 7 + thread) % calls.length);
                serve((i * 5 + thread) % calls.length);
            }
        }
    }

    static Part make(String name) {
        switch (name) {
            case "philo":
                return new Philosophers();
            case "sor":
                return new Relaxation();
            case "montecarlo":
                return new MonteCarlo();
            case "tsp":
                return new Salesman();
            case "elevator":
                return new Elevator();
            default:
                throw new IllegalArgumentException("no such program: " + name);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Part part = make(arguments[0]);
        int size = Integer.parseInt(arguments[1]);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            threads.add(new Thread(() -> part.run(number, size)));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(arguments[0] + " is done");
    }
}
