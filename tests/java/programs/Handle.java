/* A field that is read and set through a VarHandle. */
// EXPECT violated: Handle.increment
// EXPECT cut-by: Handle.increment
// EXPECT on: value
// EXPECT line: Handle.increment @out @in
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import unwatched.Schedule;

public class Handle {
    private static final VarHandle VALUE = find();
    private int value;

    private static VarHandle find() {
        try {
            return MethodHandles.lookup().findVarHandle(Handle.class, "value", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    void incrementAtOnce() {
        VALUE.getAndAdd(this, 1);
    }

    void increment(boolean slowly) {
        if (Schedule.FIXED) {
            incrementAtOnce();
            return;
        }
        int seen = (int) VALUE.getVolatile(this); // @out
        if (slowly) {
            Schedule.step(1);
            Schedule.step(4);
        }
        VALUE.setVolatile(this, seen + 1); // @in
    }

    void second() {
        Schedule.step(2);
        increment(false);
        Schedule.step(3);
    }

    public static void main(String[] arguments) throws Exception {
        Handle counter = new Handle();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
