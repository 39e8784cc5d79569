/* A ConcurrentHashMap: get and put are one step each, and merge is one. */
// EXPECT violated: ConcurrentMap.increment
// EXPECT cut-by: ConcurrentMap.increment
// EXPECT on: ConcurrentHashMap
// EXPECT line: ConcurrentMap.increment @out @in
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import java.util.concurrent.ConcurrentHashMap;
import unwatched.Schedule;

public class ConcurrentMap {
    private final ConcurrentHashMap<String, Integer> map = new ConcurrentHashMap<>();

    void incrementAtOnce() {
        map.merge("key", 1, Integer::sum);
    }

    void increment(boolean slowly) {
        if (Schedule.FIXED) {
            incrementAtOnce();
            return;
        }
        Integer seen = map.get("key"); // @out
        if (slowly) {
            Schedule.step(1);
            Schedule.step(4);
        }
        map.put("key", seen == null ? 1 : seen + 1); // @in
    }

    void second() {
        Schedule.step(2);
        increment(false);
        Schedule.step(3);
    }

    public static void main(String[] arguments) throws Exception {
        ConcurrentMap counter = new ConcurrentMap();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
