/* An AtomicLong that is read, and then set. */
// EXPECT violated: AtomicWide.increment
// EXPECT cut-by: AtomicWide.increment
// EXPECT on: AtomicLong
// EXPECT line: AtomicWide.increment @out @in
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.util.concurrent.atomic.AtomicLong;
import unwatched.Schedule;

public class AtomicWide {
    private final AtomicLong value = new AtomicLong();

    void incrementAtOnce() {
        value.addAndGet(1);
    }

    void increment(boolean slowly) {
        if (Schedule.FIXED) {
            incrementAtOnce();
            return;
        }
        long seen = value.get(); // @out
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
        AtomicWide counter = new AtomicWide();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
