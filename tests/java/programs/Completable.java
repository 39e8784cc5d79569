/* CompletableFuture. A method that is meant to be one step waits for another thread in between.
 * Where nobody says that it is meant so, it is two steps. Nothing races: the order is seen. */
// EXPECT violated: Completable.work
// EXPECT cut-by: Completable.other
// SPEC atomic function Completable.work
// TWIN -Dfixed=true
// EXPECT-FIXED none
// SPEC-FIXED none
import java.util.concurrent.CompletableFuture;

public class Completable {
    private final CompletableFuture<String> there = new CompletableFuture<>();
    private final CompletableFuture<String> back = new CompletableFuture<>();
    private int data;

    void work() throws Exception {
        data = 1;
        there.complete("there");
        back.get();
        data++;
    }

    void other() {
        try {
            there.get();
            data++;
            back.complete("back");
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Completable program = new Completable();
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
