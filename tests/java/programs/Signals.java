/* Semaphores without permits, as signals. A method that is meant to be one step waits for another thread in between.
 * Where nobody says that it is meant so, it is two steps. Nothing races: the order is seen. */
// EXPECT violated: Signals.work
// EXPECT cut-by: Signals.other
// SPEC atomic function Signals.work
// TWIN -Dfixed=true
// EXPECT-FIXED none
// SPEC-FIXED none
import java.util.concurrent.Semaphore;

public class Signals {
    private final Semaphore there = new Semaphore(0);
    private final Semaphore back = new Semaphore(0);
    private int data;

    void work() throws Exception {
        data = 1;
        there.release();
        back.acquire();
        data++;
    }

    void other() {
        try {
            there.acquire();
            data++;
            back.release();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Signals program = new Signals();
        Thread thread = new Thread(program::other, "other");
        thread.start();
        program.work();
        thread.join();
        if (program.data != 3) {
            throw new IllegalStateException("data is " + program.data);
        }
        System.out.println("ok");
    }
}
