/* An AtomicReference that is read, and then set. */
// EXPECT violated: AtomicPointer.increment
// EXPECT cut-by: AtomicPointer.increment
// EXPECT on: AtomicReference
// EXPECT line: AtomicPointer.increment @out @in
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.util.concurrent.atomic.AtomicReference;
import unwatched.Schedule;

public class AtomicPointer {
    private final AtomicReference<String> value = new AtomicReference<>("");

    void incrementAtOnce() {
        value.updateAndGet(seen -> seen + ".");
    }

    void increment(boolean slowly) {
        if (Schedule.FIXED) {
            incrementAtOnce();
            return;
        }
        String seen = value.get(); // @out
        if (slowly) {
            Schedule.step(1);
            Schedule.step(4);
        }
        value.set(seen + "."); // @in
    }

    void second() {
        Schedule.step(2);
        increment(false);
        Schedule.step(3);
    }

    public static void main(String[] arguments) throws Exception {
        AtomicPointer counter = new AtomicPointer();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
