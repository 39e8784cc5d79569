/* Bytes that are beside each other in an array are variables of their own. */
// EXPECT violated: Bytes.increment
// EXPECT cut-by: Bytes.increment
// EXPECT on: byte[]@1[5]
// EXPECT line: Bytes.increment @out @in
// RACY the point is that plain accesses are seen
// SPEC ignore thread functions
// TWIN -Dfixed=true
// EXPECT-FIXED none
import unwatched.Schedule;

public class Bytes {
    private final byte[] values = new byte[8];

    synchronized void incrementAtOnce() {
        values[5]++;
    }

    void increment(boolean slowly) {
        if (Schedule.FIXED) {
            incrementAtOnce();
            return;
        }
        byte seen = values[5]; // @out
        if (slowly) {
            Schedule.step(1);
            Schedule.step(4);
        }
        values[5] = (byte) (seen + 1); // @in
    }

    void second() {
        Schedule.step(2);
        increment(false);
        Schedule.step(3);
    }

    public static void main(String[] arguments) throws Exception {
        Bytes counter = new Bytes();
        Thread first = new Thread(() -> counter.increment(true), "first");
        Thread second = new Thread(counter::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("ok");
    }
}
