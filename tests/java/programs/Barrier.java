/* CyclicBarrier. A method that is meant to be one step waits for another thread in between.
 * Where nobody says that it is meant so, it is two steps. Nothing races: the order is seen. */
// EXPECT violated: Barrier.work
// EXPECT cut-by: Barrier.other
// SPEC atomic function Barrier.work
// TWIN -Dfixed=true
// EXPECT-FIXED none
// SPEC-FIXED none
import java.util.concurrent.CyclicBarrier;

public class Barrier {
    private final CyclicBarrier barrier = new CyclicBarrier(2);
    private int data;

    void work() throws Exception {
        data = 1;
        barrier.await();
        barrier.await();
        data++;
    }

    void other() {
        try {
            barrier.await();
            data++;
            barrier.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Barrier program = new Barrier();
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
