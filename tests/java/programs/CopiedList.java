/* A CopyOnWriteArrayList: each operation is atomic, and looking before one adds is two. */
// EXPECT violated: CopiedList.addIfMissing
// EXPECT cut-by: CopiedList.addIfMissing
// EXPECT on: CopyOnWriteArrayList
// EXPECT line: CopiedList.addIfMissing @out @in
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import unwatched.Schedule;

public class CopiedList {
    /** When it is compared with something, another thread may come in between. */
    private static final class Name {
        private final boolean slow;

        Name(boolean slow) {
            this.slow = slow;
        }

        @Override
        public boolean equals(Object other) {
            if (slow) {
                Schedule.step(1);
                Schedule.step(4);
            }
            return false;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    private final CopyOnWriteArrayList<Object> names = new CopyOnWriteArrayList<>(List.of("first"));

    void addIfMissing(Name name) {
        if (Schedule.FIXED) {
            names.addIfAbsent(name);
        } else if (!names.contains(name)) { // @out
            names.add(name); // @in
        }
    }

    void second() {
        Schedule.step(2);
        addIfMissing(new Name(false));
        Schedule.step(3);
    }

    public static void main(String[] arguments) throws Exception {
        CopiedList list = new CopiedList();
        Name slow = new Name(true);
        Thread first = new Thread(() -> list.addIfMissing(slow), "first");
        Thread second = new Thread(list::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
