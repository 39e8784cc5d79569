/* SynchronousQueue. A method that is meant to be one step waits for another thread in between.
 * Where nobody says that it is meant so, it is two steps. Nothing races: the order is seen. */
// EXPECT violated: Handover.work
// EXPECT cut-by: Handover.other
// SPEC atomic function Handover.work
// TWIN -Dfixed=true
// EXPECT-FIXED none
// SPEC-FIXED none
import java.util.concurrent.SynchronousQueue;

public class Handover {
    private final SynchronousQueue<String> there = new SynchronousQueue<>();
    private final SynchronousQueue<String> back = new SynchronousQueue<>();
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
        Handover program = new Handover();
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
