/* LockSupport, with a volatile field that says when. A method that is meant to be one step waits for another thread in between.
 * Where nobody says that it is meant so, it is two steps. Nothing races: the order is seen. */
// EXPECT violated: Parked.work
// SPEC atomic function Parked.work
// TWIN -Dfixed=true
// EXPECT-FIXED none
// SPEC-FIXED none
import java.util.concurrent.locks.LockSupport;
import unwatched.Schedule;

public class Parked {
    private final Other thread = new Other(this, Thread.currentThread());
    private int data;

    static final class Other extends Thread {
        final Parked program;
        final Thread starter;
        volatile int said;

        Other(Parked program, Thread starter) {
            super("other");
            this.program = program;
            this.starter = starter;
        }

        @Override
        public void run() {
            while (said < 1) {
                LockSupport.park();
            }
            Schedule.untilWaits(starter);
            program.other();
            said = 2;
            LockSupport.unpark(starter);
        }

        void awaitBack() {
            while (said < 2) {
                LockSupport.park();
            }
        }
    }

    void work() throws Exception {
        data = 1;
        thread.said = 1;
        LockSupport.unpark(thread);
        thread.awaitBack();
        data++;
    }

    void other() {
        data++;
    }

    public static void main(String[] arguments) throws Exception {
        Parked program = new Parked();
        program.thread.start();
        program.work();
        program.thread.join();
        if (program.data != 3) {
            throw new IllegalStateException("data is " + program.data);
        }
        System.out.println("ok");
    }
}
