/* Static synchronized methods: the class is the lock around each access, and not around both. */
// EXPECT violated: StaticMonitor.increment
// EXPECT cut-by: StaticMonitor.increment
// EXPECT on: StaticMonitor.value
// EXPECT line: StaticMonitor.increment @out @in
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import unwatched.Schedule;

public class StaticMonitor {
    private static int value;

    static synchronized int get() {
        return value; // @out
    }

    static synchronized void set(int next) {
        value = next; // @in
    }

    static synchronized void incrementAtOnce() {
        value++;
        Schedule.step(1);
        Schedule.step(4);
    }

    static void increment(boolean slowly) {
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

    static void second() {
        Schedule.step(2);
        increment(false);
        Schedule.step(3);
    }

    public static void main(String[] arguments) throws Exception {
        Thread first = new Thread(() -> increment(true), "first");
        Thread second = new Thread(StaticMonitor::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
