import java.util.ArrayList;
import java.util.List;

/** Small programs with two threads each, for cost.py: Kernels NAME SIZE. */
public class Kernels {
    interface Part {
        void run(int thread, int size);
    }

    static void inTwoThreads(Part part, int size) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            int number = i;
            threads.add(new Thread(() -> part.run(number, size)));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** Elements of arrays: each thread relaxes half of the rows of a grid. */
    static final class Relax implements Part {
        private final double[][] grid = new double[258][258];

        void relaxRow(int row) {
            double[] above = grid[row - 1];
            double[] here = grid[row];
            double[] below = grid[row + 1];
            for (int i = 1; i < 257; i++) {
                here[i] = 0.25 * (above[i] + below[i] + here[i - 1] + here[i + 1]);
            }
        }

        @Override
        public void run(int thread, int size) {
            for (int turn = 0; turn < size; turn++) {
                for (int row = 1 + thread * 128; row < 128 + thread * 128; row++) {
                    relaxRow(row);
                }
            }
        }
    }

    /** Small methods and fresh objects: each thread builds trees and adds them up. */
    static final class Trees implements Part {
        static final class Node {
            Node left;
            Node right;
            int value;
        }

        static Node build(int depth) {
            Node node = new Node();
            node.value = depth;
            if (depth > 0) {
                node.left = build(depth - 1);
                node.right = build(depth - 1);
            }
            return node;
        }

        static int sum(Node node) {
            return node == null ? 0 : node.value + sum(node.left) + sum(node.right);
        }

        @Override
        public void run(int thread, int size) {
            for (int turn = 0; turn < size; turn++) {
                if (sum(build(10)) == 0) {
                    throw new IllegalStateException();
                }
            }
        }
    }

    /** Locks: both threads move money between the same accounts. */
    static final class Accounts implements Part {
        static final class Account {
            private long balance;

            synchronized void add(long amount) {
                balance += amount;
            }
        }

        private final Account[] accounts = new Account[64];

        Accounts() {
            for (int i = 0; i < accounts.length; i++) {
                accounts[i] = new Account();
            }
        }

        void transfer(int from, int to) {
            synchronized (this) {
                accounts[from].add(-1);
                accounts[to].add(1);
            }
        }

        @Override
        public void run(int thread, int size) {
            for (int turn = 0; turn < 100 * size; turn++) {
                transfer(turn * 7 % 64, (turn * 11 + 1) % 64);
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        int size = Integer.parseInt(arguments[1]);
        Part part;
        switch (arguments[0]) {
            case "relax":
                part = new Relax();
                break;
            case "trees":
                part = new Trees();
                break;
            default:
                part = new Accounts();
        }
        inTwoThreads(part, size);
    }
}
