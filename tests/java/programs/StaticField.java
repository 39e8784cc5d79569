/* A static field. */
// EXPECT violated: StaticField.increment
// EXPECT cut-by: StaticField.increment
// EXPECT on: StaticField.value
// EXPECT line: StaticField.increment @out @in
// RACY the point is that plain accesses are seen
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import unwatched.Schedule;

public class StaticField {
    private static int value;

    synchronized void incrementAtOnce() {
        value++;
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
        StaticField counter = new StaticField();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
