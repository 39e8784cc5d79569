/* CompletableFuture.runAsync. A method that is meant to be one step waits for another thread in between.
 * Where nobody says that it is meant so, it is two steps. Nothing races: the order is seen. */
// EXPECT violated: Async.work
// SPEC atomic function Async.work
// TWIN -Dfixed=true
// EXPECT-FIXED none
// SPEC-FIXED none
import java.util.concurrent.CompletableFuture;
import unwatched.Schedule;

public class Async {
    private int data;

    void work() throws Exception {
        data = 1;
        CompletableFuture<Void> future = CompletableFuture.runAsync(this::other);
        Schedule.step(2); // so that the pool begins with it, and not this thread while it waits
        future.join();
        data++;
    }

    void other() {
        Schedule.step(1);
        data++;
    }

    public static void main(String[] arguments) throws Exception {
        Async program = new Async();
        program.work();
        if (program.data != 3) {
            throw new IllegalStateException("data is " + program.data);
        }
        System.out.println("ok");
    }
}
