/* A synchronized list of the JDK, watched: contains and add are one step each, and both together are not. */
// EXPECT violated: ListUser.addIfMissing
// EXPECT cut-by: ListUser.addIfMissing
// EXPECT on: size elementData Object[]
// FLAGS --jdk java.util.Collections --jdk java.util.ArrayList
// SPEC atomic function ListUser.addIfMissing
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import unwatched.Schedule;

public class ListUser {
    private final List<String> names = Collections.synchronizedList(new ArrayList<>());

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
        ListUser program = new ListUser();
        Thread first = new Thread(() -> program.addIfMissing(true), "first");
        Thread second = new Thread(program::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
