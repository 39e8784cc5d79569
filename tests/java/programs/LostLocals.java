/* A thread that loses its thread-local variables in between, as workers of the common pool may: it
 * is the same thread. */
// EXPECT violated: LostLocals.increment
// EXPECT cut-by: LostLocals.increment
// EXPECT on: value
// EXPECT line: LostLocals.increment @out @in
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import unwatched.Locals;
import unwatched.Schedule;

public class LostLocals {
    private int value;

    synchronized int get() {
        return value;
    }

    synchronized void set(int to) {
        value = to;
    }

    synchronized void incrementAtOnce() {
        Locals.forget();
        value++;
    }

    void increment(boolean slowly) {
        if (Schedule.FIXED) {
            incrementAtOnce();
            return;
        }
        int seen = get(); // @out
        if (slowly) {
            Locals.forget();
            Schedule.step(1);
            Schedule.step(4);
        }
        set(seen + 1); // @in
    }

    void second() {
        Schedule.step(2);
        increment(false);
        Schedule.step(3);
    }

    public static void main(String[] arguments) throws Exception {
        LostLocals counter = new LostLocals();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
