import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Phaser;

/** Two threads change one half each, and look at the other one behind a barrier; with "late", they forget the second
 * barrier of each round. */
public class Rounds {
    private static final int ROUNDS = 10, HALF = 2;
    private final int[] cells = new int[2 * HALF];
    private final CyclicBarrier barrier = new CyclicBarrier(2);
    private final Phaser phaser = new Phaser(2);
    private final String kind;

    Rounds(String kind) {
        this.kind = kind;
    }

    void change(int half) {
        for (int i = 0; i < HALF; i++) {
            cells[half * HALF + i]++;
        }
    }

    int look(int half) {
        int sum = 0;
        for (int i = 0; i < HALF; i++) {
            sum += cells[half * HALF + i];
        }
        return sum;
    }

    private void meet() {
        try {
            if (kind.equals("phaser")) {
                phaser.arriveAndAwaitAdvance();
            } else {
                barrier.await();
            }
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
        }
    }

    void work(int half, boolean late) {
        int sum = 0;
        for (int round = 0; round < ROUNDS; round++) {
            change(half);
            meet();
            sum += look(1 - half);
            if (!late) {
                meet();
            }
        }
        if (sum == 0) {
            throw new IllegalStateException();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Rounds all = new Rounds(arguments[0]);
        boolean late = arguments.length > 1;
        Thread first = new Thread(() -> all.work(0, late), "first"), second = new Thread(() -> all.work(1, late), "second");
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
