/* StringBuffer.append of the JDK asks another buffer for its length, and then for its characters: two
 * steps, between which that may become shorter. Here it becomes so later: a prediction finds it. The
 * twin holds the lock of the other buffer meanwhile. */
// EXPECT none
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import unwatched.Schedule;

public class Appended {
    private final StringBuffer from = new StringBuffer("text");
    private final StringBuffer to = new StringBuffer();

    void append() {
        if (Schedule.FIXED) {
            synchronized (from) {
                to.append(from);
            }
        } else {
            to.append(from);
        }
        Schedule.step(1);
    }

    void cut() {
        Schedule.step(2);
        from.setLength(0);
    }

    public static void main(String[] arguments) throws Exception {
        Appended program = new Appended();
        Thread first = new Thread(program::append, "first");
        Thread second = new Thread(program::cut, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
