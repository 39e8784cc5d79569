/* Stages of a CompletableFuture, asked for when the one before is done. A method that is meant to be one
 * step waits for another thread in between. Where nobody says that it is meant so, it is several steps.
 * Nothing races: the order is seen. */
// EXPECT violated: Staged.applied
// EXPECT violated: Staged.combined
// SPEC atomic function Staged.applied
// SPEC atomic function Staged.combined
// TWIN -Dfixed=true
// EXPECT-FIXED none
// SPEC-FIXED none
import java.util.concurrent.CompletableFuture;
import unwatched.Schedule;

public class Staged {
    private int one, other;

    private void writeOne() {
        one++;
    }

    private void writeOther() {
        other++;
    }

    int applied() {
        one = 1;
        CompletableFuture<Void> first = CompletableFuture.runAsync(this::writeOne);
        Schedule.untilCompleted(first);
        return first.thenApply(nothing -> ++one).handle((value, failure) -> value).getNow(0);
    }

    int combined() {
        CompletableFuture<Void> first = CompletableFuture.runAsync(this::writeOne);
        CompletableFuture<Void> second = CompletableFuture.runAsync(this::writeOther);
        Schedule.untilCompleted(first);
        Schedule.untilCompleted(second);
        CompletableFuture.allOf(first, second).join();
        CompletableFuture.anyOf(second, first).join();
        return one + other;
    }

    public static void main(String[] arguments) throws Exception {
        Staged program = new Staged();
        if (program.applied() != 3 || program.combined() != 5)
            throw new IllegalStateException(program.one + " and " + program.other);
        System.out.println("ok");
    }
}
