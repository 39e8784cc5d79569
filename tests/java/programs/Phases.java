/* Phaser. A method that is meant to be one step waits for another thread in between.
 * Where nobody says that it is meant so, it is two steps. Nothing races: the order is seen. */
// EXPECT violated: Phases.work
// EXPECT cut-by: Phases.other
// SPEC atomic function Phases.work
// TWIN -Dfixed=true
// EXPECT-FIXED none
// SPEC-FIXED none
import java.util.concurrent.Phaser;

public class Phases {
    private final Phaser phaser = new Phaser(2);
    private int data;

    void work() throws Exception {
        data = 1;
        phaser.arriveAndAwaitAdvance();
        phaser.arriveAndAwaitAdvance();
        data++;
    }

    void other() {
        phaser.arriveAndAwaitAdvance();
        data++;
        phaser.arriveAndAwaitAdvance();
    }

    public static void main(String[] arguments) throws Exception {
        Phases program = new Phases();
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
