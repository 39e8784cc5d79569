/* Loops that wait: for a volatile reference, which they keep, for what a VarHandle finds, and for an
 * element of a list. A method that is meant to be one step waits for another thread in between. Where
 * nobody says that it is meant so, it is two steps. */
// EXPECT violated: Polled.work
// EXPECT violated: Polled.handles
// EXPECT violated: Polled.lists
// SPEC atomic function Polled.work
// SPEC atomic function Polled.handles
// SPEC atomic function Polled.lists
// TWIN -Dfixed=true
// EXPECT-FIXED none
// SPEC-FIXED none
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

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
    private final List<Node> asked = new CopyOnWriteArrayList<>();
    private final CopyOnWriteArrayList<Node> answered = new CopyOnWriteArrayList<>();
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

    void lists() {
        asked.add(new Node());
        while (answered.isEmpty())
            Thread.onSpinWait();
        data++;
    }

    void answersInList() {
        while (asked.isEmpty())
            Thread.onSpinWait();
        data++;
        answered.add(new Node());
    }

    public static void main(String[] arguments) throws Exception {
        Polled program = new Polled();
        Thread thread = new Thread(() -> {
            program.other();
            program.answers();
            program.answersInList();
        }, "other");
        thread.start();
        program.work();
        program.handles();
        program.lists();
        thread.join();
        if (program.data != 7)
            throw new IllegalStateException("data is " + program.data);
        System.out.println("ok");
    }
}
