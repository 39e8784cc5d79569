/* A StampedLock: reading, and then writing what was read. */
// EXPECT violated: Stamped.increment
// EXPECT cut-by: Stamped.increment
// EXPECT on: value
// EXPECT line: Stamped.increment @out @in
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.util.concurrent.locks.StampedLock;
import unwatched.Schedule;

public class Stamped {
    private final StampedLock lock = new StampedLock();
    private int value;

    int get() {
        long stamp = lock.readLock();
        try {
            return value; // @out
        } finally {
            lock.unlockRead(stamp);
        }
    }

    void set(int next) {
        long stamp = lock.writeLock();
        try {
            value = next; // @in
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    void incrementAtOnce() {
        long stamp = lock.writeLock();
        try {
            value++;
            Schedule.step(1);
            Schedule.step(4);
        } finally {
            lock.unlockWrite(stamp);
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
        Stamped counter = new Stamped();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
