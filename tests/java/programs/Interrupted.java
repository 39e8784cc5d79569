/* An interrupt. A method that is meant to be one step waits for another thread in between.
 * Where nobody says that it is meant so, it is two steps. Nothing races: the order is seen. */
// EXPECT violated: Interrupted.work
// EXPECT cut-by: Interrupted.other
// SPEC atomic function Interrupted.work
// TWIN -Dfixed=true
// EXPECT-FIXED none
// SPEC-FIXED none
import java.util.concurrent.CountDownLatch;

public class Interrupted {
    private final Thread thread = new Thread(this::other, "other");
    private int data;

    void work() throws Exception {
        data = 1;
        thread.interrupt();
        thread.join();
        data++;
    }

    void other() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            data++;
        }
    }

    public static void main(String[] arguments) throws Exception {
        Interrupted program = new Interrupted();
        program.thread.start();
        program.work();
        if (program.data != 3) {
            throw new IllegalStateException("data is " + program.data);
        }
        System.out.println("ok");
    }
}
