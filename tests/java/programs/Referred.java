/* Operations that are called by references to methods of the JDK: locks, atomics, maps. */
// EXPECT violated: Referred.increment
// EXPECT cut-by: Referred.increment
// EXPECT on: AtomicInteger
// EXPECT line: Referred.increment @out @in
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;
import unwatched.Schedule;

public class Referred {
    private final AtomicInteger value = new AtomicInteger();
    private final ReentrantLock lock = new ReentrantLock();
    private int plain;
    private final Runnable acquire = lock::lock, release = lock::unlock;

    /** What the lock protects has no data race if its operations are seen. */
    void incrementPlain() {
        acquire.run();
        plain++;
        release.run();
    }

    void increment(boolean slowly) {
        IntSupplier get = value::get, increment = value::incrementAndGet; // @out
        IntConsumer set = value::set; // @in
        if (Schedule.FIXED) {
            increment.getAsInt();
            return;
        }
        int seen = get.getAsInt();
        if (slowly) {
            Schedule.step(1);
            Schedule.step(4);
        }
        set.accept(seen + 1);
    }

    void second() {
        Schedule.step(2);
        increment(false);
        Schedule.step(3);
    }

    public static void main(String[] arguments) throws Exception {
        Referred counter = new Referred();
        Thread first = new Thread(() -> {
            counter.incrementPlain();
            counter.increment(true);
        }, "first");
        Thread second = new Thread(() -> {
            counter.incrementPlain();
            counter.second();
        }, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
