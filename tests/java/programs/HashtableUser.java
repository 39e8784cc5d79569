/* A Hashtable of the JDK, watched: get and put are one step each, and both together are not. */
// EXPECT violated: HashtableUser.addIfMissing
// EXPECT cut-by: HashtableUser.addIfMissing
// EXPECT on: count table Entry[] modCount
// FLAGS --jdk java.util.Hashtable
// SPEC atomic function HashtableUser.addIfMissing
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.util.Hashtable;
import unwatched.Schedule;

public class HashtableUser {
    private final Hashtable<String, String> names = new Hashtable<>();

    void addIfMissing(boolean slowly) {
        if (Schedule.FIXED) {
            synchronized (names) {
                if (names.get("name") == null) {
                    names.put("name", "value");
                }
            }
            return;
        }
        if (names.get("name") == null) {
            if (slowly) {
                Schedule.step(1);
                Schedule.step(4);
            }
            names.put("name", "value");
        }
    }

    void second() {
        Schedule.step(2);
        addIfMissing(false);
        Schedule.step(3);
    }

    public static void main(String[] arguments) throws Exception {
        HashtableUser program = new HashtableUser();
        Thread first = new Thread(() -> program.addIfMissing(true), "first");
        Thread second = new Thread(program::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
