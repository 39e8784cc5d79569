/* A thread that does nothing is started in a block, and joined by another thread. It has no event, so that orders
 * nothing: what the other thread does then depends on the block by the variable alone. */
// EXPECT violated: JoinedIdle.increment
// EXPECT cut-by: JoinedIdle.reset
// EXPECT on: value
// EXPECT line: JoinedIdle.increment @out @in
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import unwatched.Schedule;

public class JoinedIdle {
    private @interface Atomic {}

    private final Object lock = new Object();
    private final Thread idle = new Thread(() -> {}, "idle");
    private int value;

    private int get() {
        synchronized (lock) {
            return value; // @out
        }
    }

    private void set(int next) {
        synchronized (lock) {
            value = next; // @in
        }
    }

    private void incrementSlowly() {
        int seen = get(); // @out
        idle.start();
        Schedule.step(1);
        Schedule.step(4);
        set(seen + 1); // @in
    }

    @Atomic
    void increment() {
        if (Schedule.FIXED) {
            synchronized (lock) {
                incrementSlowly();
            }
        } else {
            incrementSlowly();
        }
    }

    void reset() {
        synchronized (lock) {
            value = 0;
        }
    }

    void second() {
        Schedule.step(2);
        try {
            idle.join();
        } catch (InterruptedException e) {
            return;
        }
        reset();
        Schedule.step(3);
    }

    public static void main(String[] arguments) throws Exception {
        JoinedIdle counter = new JoinedIdle();
        Thread first = new Thread(counter::increment, "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
