/* A method that is annotated as atomic is not split, although it sleeps. */
// EXPECT violated: Annotated.increment
// EXPECT cut-by: Annotated.increment
// EXPECT on: Annotated@1.value
// SPEC ignore thread functions
// SPEC ignore function Annotated.increase
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import unwatched.Schedule;

public class Annotated {
    @Retention(RetentionPolicy.CLASS)
    private @interface Atomic {}

    private int value;

    private synchronized int get() {
        return value;
    }

    private synchronized void set(int next) {
        value = next;
    }

    @Atomic
    void increment(boolean slowly) throws InterruptedException {
        int seen = get();
        if (slowly) {
            Schedule.step(1);
            Thread.sleep(1);
            Schedule.step(4);
        }
        set(seen + 1);
    }

    /** Without the annotation it is two blocks, and neither is cut. */
    void incrementInTwoSteps(boolean slowly) throws InterruptedException {
        int seen = get();
        if (slowly) {
            Schedule.step(1);
            Thread.sleep(1);
            Schedule.step(4);
        }
        set(seen + 1);
    }

    private void increase(boolean slowly) {
        try {
            if (Schedule.FIXED) {
                incrementInTwoSteps(slowly);
            } else {
                increment(slowly);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Annotated counter = new Annotated();
        Thread first = new Thread(() -> counter.increase(true), "first");
        Thread second = new Thread(() -> {
            Schedule.step(2);
            counter.increase(false);
            Schedule.step(3);
        }, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
