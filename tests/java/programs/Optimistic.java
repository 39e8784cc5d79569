/* What is read optimistically counts if the stamp is valid, and is read again if not. */
// EXPECT violated: Optimistic.sum
// EXPECT cut-by: Optimistic.move
// EXPECT on: Optimistic@1.left
// EXPECT line: Optimistic.sum @out @in
// RACY the point is that the stamp is not validated
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.util.concurrent.locks.StampedLock;
import unwatched.Schedule;

public class Optimistic {
    private final StampedLock lock = new StampedLock();
    private int left, right;

    int sum() {
        lock.tryOptimisticRead();
        int seen = left; // @out
        Schedule.step(1);
        Schedule.step(4);
        return seen + right; // @in
    }

    int sumValidated() {
        long stamp = lock.tryOptimisticRead();
        int seen = left;
        Schedule.step(1);
        Schedule.step(4);
        int sum = seen + right;
        if (lock.validate(stamp)) {
            return sum;
        }
        stamp = lock.readLock();
        try {
            return left + right;
        } finally {
            lock.unlockRead(stamp);
        }
    }

    void move() {
        long stamp = lock.writeLock();
        try {
            left++;
            right--;
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    void second() {
        Schedule.step(2);
        move();
        Schedule.step(3);
    }

    public static void main(String[] arguments) throws Exception {
        Optimistic pair = new Optimistic();
        Thread first = new Thread(Schedule.FIXED ? pair::sumValidated : pair::sum, "first");
        Thread second = new Thread(pair::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
