import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Exchanger;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Phaser;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;

/* Two threads go through all means to wait for each other, one after the other. Whatever the schedule
 * is, it comes to its end and prints the same. */
public class Clean {
    private final BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(1);
    private final CyclicBarrier barrier = new CyclicBarrier(2);
    private final Exchanger<Integer> exchanger = new Exchanger<>();
    private final Phaser phaser = new Phaser(2);
    private final Semaphore semaphore = new Semaphore(0);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ReentrantReadWriteLock shared = new ReentrantReadWriteLock();
    private final StampedLock stamped = new StampedLock();
    private volatile boolean ready, parked;
    private int turn, sum;

    static final class Sum extends RecursiveTask<Integer> {
        private static final long serialVersionUID = 1;
        private final int from, to;

        Sum(int from, int to) {
            this.from = from;
            this.to = to;
        }

        @Override
        protected Integer compute() {
            if (to - from == 1) {
                return from;
            }
            Sum left = new Sum(from, (from + to) / 2), right = new Sum((from + to) / 2, to);
            left.fork();
            return right.compute() + left.join();
        }
    }

    void passTurn(int mine) throws InterruptedException {
        lock.lock();
        try {
            while (turn != mine) {
                changed.await();
            }
            turn++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void add(int more) {
        shared.writeLock().lock();
        try {
            sum += more;
        } finally {
            shared.writeLock().unlock();
        }
        long stamp = stamped.writeLock();
        try {
            sum += more;
        } finally {
            stamped.unlockWrite(stamp);
        }
    }

    void other(Thread starter) {
        try {
            queue.put(1);
            queue.put(2);
            barrier.await();
            exchanger.exchange(3);
            phaser.arriveAndAwaitAdvance();
            semaphore.release();
            passTurn(1);
            while (!ready) {
                Thread.onSpinWait();
            }
            parked = true;
            LockSupport.unpark(starter);
            Thread.sleep(1000_000_000);
            System.out.println("not interrupted");
        } catch (InterruptedException e) {
            add(1);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Clean program = new Clean();
        Thread starter = Thread.currentThread();
        Thread other = new Thread(() -> program.other(starter), "other");
        other.start();
        int got = program.queue.take() + program.queue.take();
        program.barrier.await();
        got += program.exchanger.exchange(4);
        program.phaser.arriveAndAwaitAdvance();
        program.semaphore.acquire();
        program.passTurn(0);
        program.ready = true;
        while (!program.parked) {
            LockSupport.park();
        }
        other.interrupt();
        other.join(1000_000);
        got += new ForkJoinPool(2).invoke(new Sum(0, 4));
        got += CompletableFuture.supplyAsync(() -> 5).thenCombineAsync(
                CompletableFuture.supplyAsync(() -> 6), Integer::sum).get();
        System.out.println(got + " " + program.sum);
    }
}
