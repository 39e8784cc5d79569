/* wait and notify. A method that is meant to be one step waits for another thread in between.
 * Where nobody says that it is meant so, it is two steps. Nothing races: the order is seen. */
// EXPECT violated: Notified.work
// EXPECT cut-by: Notified.other
// SPEC atomic function Notified.work
// TWIN -Dfixed=true
// EXPECT-FIXED none
// SPEC-FIXED none
import unwatched.Schedule;

public class Notified {
    private int said;
    private final Thread starter = Thread.currentThread();
    private int data;

    synchronized void say(int what) {
        said = what;
        notifyAll();
    }

    synchronized void await(int what) throws InterruptedException {
        while (said < what) {
            wait();
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
        Notified program = new Notified();
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
