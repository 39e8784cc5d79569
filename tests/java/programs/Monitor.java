/* Synchronized methods: a monitor around each access, and not around both. */
// EXPECT violated: Monitor.increment
// EXPECT cut-by: Monitor.increment
// EXPECT on: value
// EXPECT line: Monitor.increment @out @in
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import unwatched.Schedule;

public class Monitor {
    private int value;

    synchronized int get() {
        return value; // @out
    }

    synchronized void set(int next) {
        value = next; // @in
    }

    synchronized void incrementAtOnce() {
        value++;
        Schedule.step(1);
        Schedule.step(4);
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
        Monitor counter = new Monitor();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
