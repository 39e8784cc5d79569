/* A field of 64 bits. */
// EXPECT violated: WideField.increment
// EXPECT cut-by: WideField.increment
// EXPECT on: value
// EXPECT line: WideField.increment @out @in
// RACY the point is that plain accesses are seen
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import unwatched.Schedule;

public class WideField {
    private long value;

    synchronized void incrementAtOnce() {
        value++;
    }

    void increment(boolean slowly) {
        if (Schedule.FIXED) {
            incrementAtOnce();
            return;
        }
        long seen = value; // @out
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
        WideField counter = new WideField();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
