/* CountDownLatch. A method that is meant to be one step waits for another thread in between.
 * Where nobody says that it is meant so, it is two steps. Nothing races: the order is seen. */
// EXPECT violated: Latch.work
// EXPECT cut-by: Latch.other
// SPEC atomic function Latch.work
// TWIN -Dfixed=true
// EXPECT-FIXED none
// SPEC-FIXED none
import java.util.concurrent.CountDownLatch;

public class Latch {
    private final CountDownLatch there = new CountDownLatch(1);
    private final CountDownLatch back = new CountDownLatch(1);
    private int data;

    void work() throws Exception {
        data = 1;
        there.countDown();
        back.await();
        data++;
    }

    void other() {
        try {
            there.await();
            data++;
            back.countDown();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Latch program = new Latch();
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
