/* Conditions of a ReentrantLock. A method that is meant to be one step waits for another thread in between.
 * Where nobody says that it is meant so, it is two steps. Nothing races: the order is seen. */
// EXPECT violated: Conditions.work
// EXPECT cut-by: Conditions.other
// SPEC atomic function Conditions.work
// TWIN -Dfixed=true
// EXPECT-FIXED none
// SPEC-FIXED none
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import unwatched.Schedule;

public class Conditions {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private int said;
    private final Thread starter = Thread.currentThread();
    private int data;

    void say(int what) {
        lock.lock();
        try {
            said = what;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void await(int what) throws InterruptedException {
        lock.lock();
        try {
            while (said < what) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    void work() throws Exception {
        data = 1;
        say(1);
        await(2);
        data++;
    }

    void other() {
        try {
            await(1);
            Schedule.untilWaits(starter);
            data++;
            say(2);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Conditions program = new Conditions();
        Thread thread = new Thread(program::other, "other");
        thread.start();
        program.work();
        thread.join();
        if (program.data != 3) {
            throw new IllegalStateException("data is " + program.data);
        }
        System.out.println("ok");
    }
}
