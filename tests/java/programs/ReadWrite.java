/* A lock for readers and writers: reading, and then writing what was read. */
// EXPECT violated: ReadWrite.increment
// EXPECT cut-by: ReadWrite.increment
// EXPECT on: value
// EXPECT line: ReadWrite.increment @out @in
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.util.concurrent.locks.ReentrantReadWriteLock;
import unwatched.Schedule;

public class ReadWrite {
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private int value;

    int get() {
        lock.readLock().lock();
        try {
            return value; // @out
        } finally {
            lock.readLock().unlock();
        }
    }

    void set(int next) {
        lock.writeLock().lock();
        try {
            value = next; // @in
        } finally {
            lock.writeLock().unlock();
        }
    }

    void incrementAtOnce() {
        lock.writeLock().lock();
        try {
            value++;
            Schedule.step(1);
            Schedule.step(4);
        } finally {
            lock.writeLock().unlock();
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
        ReadWrite counter = new ReadWrite();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
