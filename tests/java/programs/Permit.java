/* A Semaphore with one permit, as a lock. */
// EXPECT violated: Permit.increment
// EXPECT cut-by: Permit.increment
// EXPECT on: value
// EXPECT line: Permit.increment @out @in
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.util.concurrent.Semaphore;
import unwatched.Schedule;

public class Permit {
    private final Semaphore permit = new Semaphore(1);
    private int value;

    int get() {
        permit.acquireUninterruptibly();
        try {
            return value; // @out
        } finally {
            permit.release();
        }
    }

    void set(int next) {
        permit.acquireUninterruptibly();
        try {
            value = next; // @in
        } finally {
            permit.release();
        }
    }

    void incrementAtOnce() {
        permit.acquireUninterruptibly();
        try {
            value++;
            Schedule.step(1);
            Schedule.step(4);
        } finally {
            permit.release();
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
        Permit counter = new Permit();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
