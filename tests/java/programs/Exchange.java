/* Exchanger. A method that is meant to be one step waits for another thread in between.
 * Where nobody says that it is meant so, it is two steps. Nothing races: the order is seen. */
// EXPECT violated: Exchange.work
// EXPECT cut-by: Exchange.other
// SPEC atomic function Exchange.work
// TWIN -Dfixed=true
// EXPECT-FIXED none
// SPEC-FIXED none
import java.util.concurrent.Exchanger;

public class Exchange {
    private final Exchanger<String> exchanger = new Exchanger<>();
    private int data;

    void work() throws Exception {
        data = 1;
        exchanger.exchange("there");
        exchanger.exchange("thanks");
        data++;
    }

    void other() {
        try {
            exchanger.exchange("ready");
            data++;
            exchanger.exchange("back");
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Exchange program = new Exchange();
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
