/* So many threads read a field that they have no bits of their own in its shadow: the writer finds all. */
// EXPECT violated: ManyReaders.look
// EXPECT cut-by: ManyReaders.change
// EXPECT on: left
// EXPECT on: right
// EXPECT line: ManyReaders.look @out @in
// RACY the point is that plain accesses are seen
// SPEC ignore thread functions
// SPEC ignore function ManyReaders.last
// TWIN -Dfixed=true
// EXPECT-FIXED none
import unwatched.Schedule;

public class ManyReaders {
    private static final int OTHERS = 66;
    private int left, right;

    int lookAtOnce() {
        return left;
    }

    synchronized int lookAtOnceLocked() {
        return lookAtOnce();
    }

    int look() {
        int seen = left; // @out
        Schedule.step(OTHERS + 1);
        Schedule.step(OTHERS + 4);
        return seen + right; // @in
    }

    synchronized int lookLocked() {
        return look();
    }

    void change() {
        left = 1;
        right = 1;
    }

    synchronized void changeLocked() {
        change();
    }

    /** They stay until the last one has looked, so that each has a number of its own. */
    void other(int number) {
        if (Schedule.FIXED) {
            lookAtOnceLocked();
        } else {
            lookAtOnce();
        }
        Schedule.step(number);
        Schedule.step(OTHERS + 4);
    }

    void last() {
        Schedule.step(OTHERS);
        if (Schedule.FIXED) {
            lookLocked();
        } else {
            look();
        }
    }

    void writer() {
        Schedule.step(OTHERS + 2);
        if (Schedule.FIXED) {
            changeLocked();
        } else {
            change();
        }
        Schedule.step(OTHERS + 3);
    }

    public static void main(String[] arguments) throws Exception {
        ManyReaders both = new ManyReaders();
        Thread[] threads = new Thread[OTHERS + 2];
        for (int i = 0; i < OTHERS; i++) {
            int number = i + 1;
            threads[i] = new Thread(() -> both.other(number), "other" + number);
        }
        threads[OTHERS] = new Thread(both::last, "last");
        threads[OTHERS + 1] = new Thread(both::writer, "writer");
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("ok");
    }
}
