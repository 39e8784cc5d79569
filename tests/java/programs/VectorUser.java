/* A Vector of the JDK, watched: contains and add are one step each, and both together are not. */
// EXPECT violated: VectorUser.addIfMissing
// EXPECT cut-by: VectorUser.addIfMissing
// EXPECT on: elementCount elementData Object[]
// FLAGS --jdk java.util.Vector
// SPEC atomic function VectorUser.addIfMissing
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.util.Vector;
import unwatched.Schedule;

public class VectorUser {
    private final Vector<String> names = new Vector<>();

    void addIfMissing(boolean slowly) {
        if (Schedule.FIXED) {
            synchronized (names) {
                if (!names.contains("name")) {
                    names.add("name");
                }
            }
            return;
        }
        if (!names.contains("name")) {
            if (slowly) {
                Schedule.step(1);
                Schedule.step(4);
            }
            names.add("name");
        }
    }

    void second() {
        Schedule.step(2);
        addIfMissing(false);
        Schedule.step(3);
    }

    public static void main(String[] arguments) throws Exception {
        VectorUser program = new VectorUser();
        Thread first = new Thread(() -> program.addIfMissing(true), "first");
        Thread second = new Thread(program::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
