/* A volatile field: each access is one step, and both together are not. */
// EXPECT violated: VolatileField.increment
// EXPECT cut-by: VolatileField.increment
// EXPECT on: value
// EXPECT line: VolatileField.increment @out @in
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import unwatched.Schedule;

public class VolatileField {
    private volatile int value;

    synchronized void incrementAtOnce() {
        value = value + 1;
    }

    void increment(boolean slowly) {
        if (Schedule.FIXED) {
            incrementAtOnce();
            return;
        }
        int seen = value; // @out
        if (slowly) {
            Schedule.step(1);
            Schedule.step(4);
        }
        value = seen + 1; // @in
    }

    void second() {
        Schedule.step(2);
        increment(false);
        Schedule.step(3);
    }

    public static void main(String[] arguments) throws Exception {
        VolatileField counter = new VolatileField();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
