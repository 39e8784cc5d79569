/* A clone of an array reads all its elements. */
// EXPECT violated: Cloned.increment
// EXPECT cut-by: Cloned.increment
// EXPECT on: int[]@1[2]
// EXPECT line: Cloned.increment @out @in
// RACY the point is that plain accesses are seen
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import unwatched.Schedule;

public class Cloned {
    private final int[] values = new int[4];

    synchronized void incrementAtOnce() {
        values[2]++;
    }

    void increment(boolean slowly) {
        if (Schedule.FIXED) {
            incrementAtOnce();
            return;
        }
        int[] seen = values.clone(); // @out
        if (slowly) {
            Schedule.step(1);
            Schedule.step(4);
        }
        values[2] = seen[2] + 1; // @in
    }

    void second() {
        Schedule.step(2);
        increment(false);
        Schedule.step(3);
    }

    public static void main(String[] arguments) throws Exception {
        Cloned counter = new Cloned();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
