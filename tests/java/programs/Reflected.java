/* Fields that are accessed by reflection, in methods that are called by it. */
// EXPECT violated: Reflected.increment
// EXPECT cut-by: Reflected.increment
// EXPECT on: Reflected@1.value
// EXPECT line: Reflected.increment @out @in
// SPEC ignore thread functions
// SPEC ignore function Reflected.call
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import unwatched.Schedule;

public class Reflected {
    private int value;

    private static Field field() throws ReflectiveOperationException {
        return Reflected.class.getDeclaredField("value");
    }

    private synchronized int get() throws ReflectiveOperationException {
        return (Integer) field().get(this); // @out
    }

    private synchronized void set(int next) throws ReflectiveOperationException {
        field().setInt(this, next); // @in
    }

    private synchronized void incrementAtOnce() throws ReflectiveOperationException {
        field().setInt(this, field().getInt(this) + 1);
    }

    void increment(boolean slowly) throws ReflectiveOperationException {
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

    private static void call(Reflected counter, boolean slowly) {
        try {
            Method method = Reflected.class.getDeclaredMethod("increment", boolean.class);
            method.invoke(counter, slowly);
            field().getInt("no counter");
        } catch (IllegalArgumentException e) {
            return; // which is what the program gets without seriatim
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Reflected counter = new Reflected();
        Thread first = new Thread(() -> call(counter, true), "first");
        Thread second = new Thread(() -> {
            Schedule.step(2);
            call(counter, false);
            Schedule.step(3);
        }, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
