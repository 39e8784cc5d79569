/* An element of an AtomicIntegerArray that is read, and then set. */
// EXPECT violated: AtomicElements.increment
// EXPECT cut-by: AtomicElements.increment
// EXPECT on: AtomicIntegerArray
// EXPECT line: AtomicElements.increment @out @in
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.util.concurrent.atomic.AtomicIntegerArray;
import unwatched.Schedule;

public class AtomicElements {
    private final AtomicIntegerArray values = new AtomicIntegerArray(4);

    void incrementAtOnce() {
        values.incrementAndGet(2);
    }

    void increment(boolean slowly) {
        if (Schedule.FIXED) {
            incrementAtOnce();
            return;
        }
        int seen = values.get(2); // @out
        if (slowly) {
            Schedule.step(1);
            Schedule.step(4);
        }
        values.set(2, seen + 1); // @in
    }

    void second() {
        Schedule.step(2);
        increment(false);
        Schedule.step(3);
    }

    public static void main(String[] arguments) throws Exception {
        AtomicElements counter = new AtomicElements();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
