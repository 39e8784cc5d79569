/* A task of a ForkJoinPool. A method that is meant to be one step waits for another thread in between.
 * Where nobody says that it is meant so, it is two steps. Nothing races: the order is seen. */
// EXPECT violated: Forked.work
// SPEC atomic function Forked.work
// TWIN -Dfixed=true
// EXPECT-FIXED none
// SPEC-FIXED none
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import unwatched.Schedule;

public class Forked {
    private int data;

    void work() throws Exception {
        data = 1;
        ForkJoinTask<?> task = ForkJoinPool.commonPool().submit(this::other);
        Schedule.step(2); // so that the pool begins with it, and not this thread while it waits
        task.join();
        data++;
    }

    void other() {
        Schedule.step(1);
        data++;
    }

    public static void main(String[] arguments) throws Exception {
        Forked program = new Forked();
        program.work();
        if (program.data != 3) {
            throw new IllegalStateException("data is " + program.data);
        }
        System.out.println("ok");
    }
}
