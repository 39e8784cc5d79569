/* Synchronized statements, on an object of their own, around each access, and not around both. */
// EXPECT violated: Statements.increment
// EXPECT cut-by: Statements.increment
// EXPECT on: value
// EXPECT line: Statements.increment @out @in
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import unwatched.Schedule;

public class Statements {
    private final Object lock = new Object();
    private int value;

    int get() {
        synchronized (lock) {
            return value; // @out
        }
    }

    void set(int next) {
        synchronized (lock) {
            value = next; // @in
        }
    }

    void incrementAtOnce() {
        synchronized (lock) {
            value++;
            Schedule.step(1);
            Schedule.step(4);
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
        Statements counter = new Statements();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
