/* LinkedBlockingQueue. A method that is meant to be one step waits for another thread in between.
 * Where nobody says that it is meant so, it is two steps. Nothing races: the order is seen. */
// EXPECT violated: Queues.work
// EXPECT cut-by: Queues.other
// SPEC atomic function Queues.work
// TWIN -Dfixed=true
// EXPECT-FIXED none
// SPEC-FIXED none
import java.util.concurrent.LinkedBlockingQueue;

public class Queues {
    private final LinkedBlockingQueue<String> there = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<String> back = new LinkedBlockingQueue<>();
    private int data;

    void work() throws Exception {
        data = 1;
        there.put("there");
        back.take();
        data++;
    }

    void other() {
        try {
            there.take();
            data++;
            back.put("back");
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Queues program = new Queues();
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
