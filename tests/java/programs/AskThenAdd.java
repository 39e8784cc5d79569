/* Two threads ask an adder for its sum, and then add to it, since there is room: both asked before either
 * added. No one of them was cut, since threads that add do not depend on each other. But each comes before
 * the other. */
// EXPECT cycle: AskThenAdd.take
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.util.concurrent.atomic.LongAdder;
import unwatched.Schedule;

public class AskThenAdd {
    private static final LongAdder taken = new LongAdder();

    private static void take(int first, int second) {
        long before = taken.sum();
        Schedule.step(first);
        Schedule.step(second);
        if (before < 1)
            taken.increment();
    }

    private static synchronized void takeAlone(int first, int second) {
        take(first, second);
    }

    private static void thread(int first, int second) {
        if (Schedule.FIXED)
            takeAlone(first, second);
        else
            take(first, second);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Thread other = new Thread(() -> thread(2, 4));
        other.start();
        thread(1, 3);
        other.join();
        System.out.println("ok");
    }
}
