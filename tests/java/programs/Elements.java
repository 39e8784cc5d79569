/* An element of an array. */
// EXPECT violated: Elements.increment
// EXPECT cut-by: Elements.increment
// EXPECT on: int[]@1[3]
// EXPECT line: Elements.increment @out @in
// RACY the point is that plain accesses are seen
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import unwatched.Schedule;

public class Elements {
    private final int[] values = new int[8];

    synchronized void incrementAtOnce() {
        values[3]++;
    }

    void increment(boolean slowly) {
        if (Schedule.FIXED) {
            incrementAtOnce();
            return;
        }
        int seen = values[3]; // @out
        if (slowly) {
            Schedule.step(1);
            Schedule.step(4);
        }
        values[3] = seen + 1; // @in
    }

    void second() {
        Schedule.step(2);
        increment(false);
        Schedule.step(3);
    }

    public static void main(String[] arguments) throws Exception {
        Elements counter = new Elements();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
