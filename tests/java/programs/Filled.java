/* Arrays.fill writes elements. */
// EXPECT violated: Filled.increment
// EXPECT cut-by: Filled.increment
// EXPECT on: int[]@1[3]
// EXPECT line: Filled.increment @out @in
// RACY the point is that plain accesses are seen
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.util.Arrays;
import unwatched.Schedule;

public class Filled {
    private final int[] values = new int[8];

    synchronized void incrementAtOnce() {
        Arrays.fill(values, values[3] + 1);
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
        Arrays.fill(values, seen + 1); // @in
    }

    void second() {
        Schedule.step(2);
        increment(false);
        Schedule.step(3);
    }

    public static void main(String[] arguments) throws Exception {
        Filled counter = new Filled();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
