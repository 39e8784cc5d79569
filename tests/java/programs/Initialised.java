/* A class is initialised by whoever uses it first: what its initialiser does is part of no block. Writing the same
 * object later is. */
// EXPECT violated: Initialised.use
// EXPECT cut-by: Initialised.publish
// EXPECT on: Initialised$Table@1.size
// EXPECT line: Initialised.use @out @in
// SPEC ignore thread functions
// RACY the point is which plain accesses count
// TWIN -Dfixed=true
// EXPECT-FIXED none
import unwatched.Schedule;

public class Initialised {
    private static final class Table {
        int size;

        Table(int size) {
            this.size = size;
        }
    }

    private static final class Lazy {
        static final Table TABLE = new Table(7);
    }

    private int published;

    private synchronized int published() {
        return published; // @in
    }

    private synchronized void publish() {
        published = Lazy.TABLE.size;
    }

    /** It initialises the class, or has nothing to do with that. */
    void use() {
        int seen = Lazy.TABLE.size;
        if (!Schedule.FIXED) {
            Lazy.TABLE.size = seen + 1; // @out
        }
        Schedule.step(1);
        Schedule.step(4);
        published(); // @in
    }

    public static void main(String[] arguments) throws Exception {
        Initialised program = new Initialised();
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
