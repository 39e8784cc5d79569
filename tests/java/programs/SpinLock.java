/* A lock that the program makes of an AtomicBoolean. */
// EXPECT violated: SpinLock.increment
// EXPECT cut-by: SpinLock.increment
// EXPECT on: value
// EXPECT line: SpinLock.increment @out @in
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.util.concurrent.atomic.AtomicBoolean;
import unwatched.Schedule;

public class SpinLock {
    private final AtomicBoolean taken = new AtomicBoolean();

    private void lock() {
        while (!taken.compareAndSet(false, true)) {
            Thread.onSpinWait();
        }
    }

    private int value;

    int get() {
        lock();
        try {
            return value; // @out
        } finally {
            taken.set(false);
        }
    }

    void set(int next) {
        lock();
        try {
            value = next; // @in
        } finally {
            taken.set(false);
        }
    }

    void incrementAtOnce() {
        lock();
        try {
            value++;
            Schedule.step(1);
            Schedule.step(4);
        } finally {
            taken.set(false);
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
        SpinLock counter = new SpinLock();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
