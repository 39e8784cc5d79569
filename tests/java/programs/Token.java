/* A queue with one token: whoever has it may go on. */
// EXPECT violated: Token.increment
// EXPECT cut-by: Token.increment
// SPEC atomic function Token.increment
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import unwatched.Schedule;

public class Token {
    private final Object token = new Object();
    private final ArrayBlockingQueue<Object> tokens = new ArrayBlockingQueue<>(1, true, List.of(token));

    private void take() {
        try {
            tokens.take();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private int value;

    int get() {
        take();
        try {
            return value; // @out
        } finally {
            tokens.add(token);
        }
    }

    void set(int next) {
        take();
        try {
            value = next; // @in
        } finally {
            tokens.add(token);
        }
    }

    void incrementAtOnce() {
        take();
        try {
            value++;
            Schedule.step(1);
            Schedule.step(4);
        } finally {
            tokens.add(token);
        }
    }

    void increment(boolean slowly) {
        if (Schedule.FIXED) {
            incrementAtOnce();
            return;
        }
        int seen = get(); // @out
        if (slowly) {
            Schedule.step(1);
            Schedule.step(4);
        }
        set(seen + 1); // @in
    }

    void second() {
        Schedule.step(2);
        increment(false);
        Schedule.step(3);
    }

    public static void main(String[] arguments) throws Exception {
        Token counter = new Token();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
