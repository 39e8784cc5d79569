/* An AtomicInteger that is read, and then set. */
// EXPECT violated: AtomicNumber.increment
// EXPECT cut-by: AtomicNumber.increment
// EXPECT on: AtomicInteger
// EXPECT line: AtomicNumber.increment @out @in
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.util.concurrent.atomic.AtomicInteger;
import unwatched.Schedule;

public class AtomicNumber {
    private final AtomicInteger value = new AtomicInteger();

    void incrementAtOnce() {
        value.incrementAndGet();
    }

    void increment(boolean slowly) {
        if (Schedule.FIXED) {
            incrementAtOnce();
            return;
        }
        int seen = value.get(); // @out
        if (slowly) {
            Schedule.step(1);
            Schedule.step(4);
        }
        value.set(seen + 1); // @in
    }

    void second() {
        Schedule.step(2);
        increment(false);
        Schedule.step(3);
    }

    public static void main(String[] arguments) throws Exception {
        AtomicNumber counter = new AtomicNumber();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
