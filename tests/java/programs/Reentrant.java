/* A ReentrantLock around each access, and not around both. */
// EXPECT violated: Reentrant.increment
// EXPECT cut-by: Reentrant.increment
// EXPECT on: value
// EXPECT line: Reentrant.increment @out @in
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.util.concurrent.locks.ReentrantLock;
import unwatched.Schedule;

public class Reentrant {
    private final ReentrantLock lock = new ReentrantLock();
    private int value;

    int get() {
        lock.lock();
        try {
            return value; // @out
        } finally {
            lock.unlock();
        }
    }

    void set(int next) {
        lock.lock();
        try {
            value = next; // @in
        } finally {
            lock.unlock();
        }
    }

    void incrementAtOnce() {
        lock.lock();
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
        Reentrant counter = new Reentrant();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
