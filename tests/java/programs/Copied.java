/* System.arraycopy reads and writes elements. */
// EXPECT violated: Copied.increment
// EXPECT cut-by: Copied.increment
// EXPECT on: int[]@1[3] int[]@2[3]
// EXPECT line: Copied.increment @out @in
// RACY the point is that plain accesses are seen
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import unwatched.Schedule;

public class Copied {
    private final int[] values = new int[8];
    private final int[] ones = {1, 1, 1, 1, 1, 1, 1, 1};

    synchronized void incrementAtOnce() {
        System.arraycopy(ones, 0, values, 2, values[3] + 3);
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
        System.arraycopy(ones, 0, values, 2, seen + 4); // @in
    }

    void second() {
        Schedule.step(2);
        increment(false);
        Schedule.step(3);
    }

    public static void main(String[] arguments) throws Exception {
        Copied counter = new Copied();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
