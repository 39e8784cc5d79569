/* Who uses a class first initialises it on behalf of all, also if its initialiser writes what others know already: who uses
 * that then has not cut the method. It has if the method itself writes it. */
// EXPECT violated: InitialisedOnce.use
// EXPECT cut-by: InitialisedOnce.publish
// EXPECT on: InitialisedOnce$Limits.most
// EXPECT line: InitialisedOnce.use @out @in
// SPEC ignore thread functions
// RACY the point is which plain accesses count
// TWIN -Dfixed=true
// EXPECT-FIXED none
import unwatched.Schedule;

public class InitialisedOnce {
    private static final class Limits {
        static int most;
    }

    private static final class Lazy {
        static final Object LOCK = new Object();

        static {
            Limits.most = 7;
        }
    }

    private int published;

    private synchronized int published() {
        return published; // @in
    }

    private synchronized void publish() {
        if (Lazy.LOCK != null) {
            published = Limits.most;
        }
    }

    /** Others have used the limits before. */
    Object use() {
        Object lock = Lazy.LOCK;
        if (!Schedule.FIXED) {
            Limits.most = 8; // @out
        }
        Schedule.step(1);
        Schedule.step(4);
        published(); // @in
        return lock;
    }

    public static void main(String[] arguments) throws Exception {
        InitialisedOnce program = new InitialisedOnce();
        Limits.most = 1;
        Thread before = new Thread(() -> Limits.most = 2);
        before.start();
        before.join();
        Thread first = new Thread(program::use, "first");
        Thread second = new Thread(() -> {
            Schedule.step(2);
            program.publish();
            Schedule.step(3);
        }, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
