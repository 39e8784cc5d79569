/* A ReentrantLock that is taken with tryLock and a time. */
// EXPECT violated: TryLock.increment
// EXPECT cut-by: TryLock.increment
// EXPECT on: value
// EXPECT line: TryLock.increment @out @in
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import unwatched.Schedule;

public class TryLock {
    private final ReentrantLock lock = new ReentrantLock();

    private void take() {
        try {
            while (!lock.tryLock(1, TimeUnit.SECONDS)) {
                Thread.yield();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private int value;

    int get() {
        take();
        try {
            return value; // @out
        } finally {
            lock.unlock();
        }
    }

    void set(int next) {
        take();
        try {
            value = next; // @in
        } finally {
            lock.unlock();
        }
    }

    void incrementAtOnce() {
        take();
        try {
            value++;
            Schedule.step(1);
            Schedule.step(4);
        } finally {
            lock.unlock();
        }
    }

    void increment(boolean slowly) {
        if (Schedule.FIXED) {
            incrementAtOnce();
            return;
        }
        int seen = get(); // @out
        if (slowly) {
            Schedule.step(1);
            Schedule.step(4);
        }
        set(seen + 1); // @in
    }

    void second() {
        Schedule.step(2);
        increment(false);
        Schedule.step(3);
    }

    public static void main(String[] arguments) throws Exception {
        TryLock counter = new TryLock();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
