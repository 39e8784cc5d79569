/* ExecutorService.invokeAll. A method that is meant to be one step waits for another thread in between.
 * Where nobody says that it is meant so, it is two steps. Nothing races: the order is seen. */
// EXPECT violated: Invoked.work
// SPEC atomic function Invoked.work
// TWIN -Dfixed=true
// EXPECT-FIXED none
// SPEC-FIXED none
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

public class Invoked {
    private final ExecutorService pool = Executors.newSingleThreadExecutor();
    private int data;

    Object call() {
        other();
        return this;
    }

    void work() throws Exception {
        data = 1;
        pool.invokeAll(List.of(this::call));
        data++;
    }

    void other() {
        data++;
    }

    public static void main(String[] arguments) throws Exception {
        Invoked program = new Invoked();
        program.work();
        program.pool.shutdown();
        if (program.data != 3) {
            throw new IllegalStateException("data is " + program.data);
        }
        System.out.println("ok");
    }
}
