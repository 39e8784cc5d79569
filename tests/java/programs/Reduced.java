/* A stream that sums up in parallel: who asks for that waits, and does a part of the work meanwhile. A
 * method that is meant to be one step is cut by what the pool does in between. Where nobody says that it
 * is meant so, it is several steps. Nothing races: the order is seen. */
// EXPECT violated: Reduced.sum
// SPEC atomic function Reduced.sum
// TWIN -Dfixed=true
// EXPECT-FIXED none
// SPEC-FIXED none
import java.util.stream.IntStream;
import unwatched.Schedule;

public class Reduced {
    private final int[] squares = new int[2];

    /** Each half is done by another thread. */
    private int square(int i) {
        Schedule.step(i == 0 ? 1 : 2);
        if (i == 0)
            Schedule.step(3);
        squares[i] = i * i;
        return squares[i];
    }

    int sum() {
        int sum = IntStream.range(0, 2).parallel().map(this::square).sum();
        return sum - squares[0] - squares[1];
    }

    public static void main(String[] arguments) throws Exception {
        if (new Reduced().sum() != 0)
            throw new IllegalStateException("the sum is wrong");
        System.out.println("ok");
    }
}
