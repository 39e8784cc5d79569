/* A field that is read and set through an updater. */
// EXPECT violated: Updater.increment
// EXPECT cut-by: Updater.increment
// EXPECT on: value
// EXPECT line: Updater.increment @out @in
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import unwatched.Schedule;

public class Updater {
    private static final AtomicIntegerFieldUpdater<Updater> VALUE =
        AtomicIntegerFieldUpdater.newUpdater(Updater.class, "value");
    private volatile int value;

    void incrementAtOnce() {
        VALUE.incrementAndGet(this);
    }

    void increment(boolean slowly) {
        if (Schedule.FIXED) {
            incrementAtOnce();
            return;
        }
        int seen = VALUE.get(this); // @out
        if (slowly) {
            Schedule.step(1);
            Schedule.step(4);
        }
        VALUE.set(this, seen + 1); // @in
    }

    void second() {
        Schedule.step(2);
        increment(false);
        Schedule.step(3);
    }

    public static void main(String[] arguments) throws Exception {
        Updater counter = new Updater();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
