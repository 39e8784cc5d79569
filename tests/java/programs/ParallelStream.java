/* Elements of a parallel stream: two of them in two threads, and then who reads the results. */
// EXPECT violated: ParallelStream.increment
// EXPECT cut-by: ParallelStream.increment
// EXPECT on: ParallelStream@1.value
// EXPECT line: ParallelStream.increment @out @in
// SPEC ignore thread functions
// SPEC ignore function ParallelStream.work
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.util.concurrent.ForkJoinPool;
import java.util.stream.IntStream;
import unwatched.Schedule;

public class ParallelStream {
    private int value;
    private final int[] squares = new int[2];

    private synchronized int get() {
        return value; // @out
    }

    private synchronized void set(int next) {
        value = next; // @in
    }

    private synchronized void incrementAtOnce() {
        value++;
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

    private void work(int i) {
        squares[i] = i * i;
        if (i > 0)
            Schedule.step(2);
        increment(i == 0);
        if (i > 0)
            Schedule.step(3);
    }

    /** What the elements did comes before this: there is no race. */
    private int sum() {
        return squares[0] + squares[1] + get();
    }

    public static void main(String[] arguments) throws Exception {
        ParallelStream stream = new ParallelStream();
        ForkJoinPool pool = new ForkJoinPool(4);
        pool.submit(() -> IntStream.range(0, 2).parallel().forEach(i -> stream.work(i))).get();
        stream.sum();
        pool.shutdown();
        System.out.println("ok");
    }
}
