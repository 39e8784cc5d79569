import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Vector;

/* Threads wait for monitors that classes of the JDK enter in code that is not watched, and that
 * watched code holds. */
public class Unseen {
    private final Vector<Integer> vector = new Vector<>();
    private final List<Integer> list = Collections.synchronizedList(new ArrayList<>());
    private volatile int steps;

    void hold() {
        synchronized (vector) {
            steps++;
            vector.add(1);
        }
        synchronized (list) {
            steps++;
            list.add(1);
        }
    }

    void add() {
        vector.add(2);
        list.add(2);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Unseen program = new Unseen();
        Thread holder = new Thread(program::hold, "holder");
        Thread other = new Thread(program::add, "other");
        holder.start();
        other.start();
        holder.join();
        other.join();
        System.out.println(program.vector.size() + program.list.size());
    }
}
