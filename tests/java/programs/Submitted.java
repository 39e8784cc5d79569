/* A task for an executor, and its future. A method that is meant to be one step waits for another thread in between.
 * Where nobody says that it is meant so, it is two steps. Nothing races: the order is seen. */
// EXPECT violated: Submitted.work
// SPEC atomic function Submitted.work
// TWIN -Dfixed=true
// EXPECT-FIXED none
// SPEC-FIXED none
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

public class Submitted {
    private final ExecutorService pool = Executors.newFixedThreadPool(2);
    private int data;

    void work() throws Exception {
        data = 1;
        Future<?> future = pool.submit(this::other);
        future.get();
        data++;
    }

    void other() {
        data++;
    }

    public static void main(String[] arguments) throws Exception {
        Submitted program = new Submitted();
        program.work();
        program.pool.shutdown();
        program.pool.awaitTermination(1, TimeUnit.MINUTES);
        if (program.data != 3) {
            throw new IllegalStateException("data is " + program.data);
        }
        System.out.println("ok");
    }
}
