/* Loops that wait and keep what they have found: a volatile reference, and a VarHandle. A method that is
 * meant to be one step waits for another thread in between. Where nobody says that it is meant so, it is
 * two steps. */
// EXPECT violated: Polled.work
// EXPECT violated: Polled.handles
// SPEC atomic function Polled.work
// SPEC atomic function Polled.handles
// TWIN -Dfixed=true
// EXPECT-FIXED none
// SPEC-FIXED none
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

public class Polled {
    private static final class Node {
        volatile Node next;
    }

    private static final VarHandle FLAG;

    static {
        try {
            FLAG = MethodHandles.lookup().findVarHandle(Polled.class, "flag", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile Node there, back;
    private int flag;
    private int data;

    void work() {
        Node found;
        data = 1;
        there = new Node();
        while ((found = back) == null)
            Thread.onSpinWait();
        data++;
        found.next = null;
    }

    void other() {
        while (there == null)
            Thread.onSpinWait();
        data++;
        back = new Node();
    }

    void handles() {
        FLAG.setRelease(this, 1);
        while ((int) FLAG.getAcquire(this) != 2)
            Thread.onSpinWait();
        data++;
    }

    void answers() {
        while ((int) FLAG.getAcquire(this) != 1)
            Thread.onSpinWait();
        data++;
        FLAG.setRelease(this, 2);
    }

    public static void main(String[] arguments) throws Exception {
        Polled program = new Polled();
        Thread thread = new Thread(() -> {
            program.other();
            program.answers();
        }, "other");
        thread.start();
        program.work();
        program.handles();
        thread.join();
        if (program.data != 5)
            throw new IllegalStateException("data is " + program.data);
        System.out.println("ok");
    }
}
