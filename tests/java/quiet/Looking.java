import unwatched.Schedule;

/** A thread looks a hundred thousand times at a word that others may write at any moment; then, unless it is the
 * twin, another one does so while the last of these methods is open, which goes on. */
public class Looking {
    private static final int MANY = 100_000;
    private volatile int tokens;
    private volatile boolean[] done = new boolean[2];

    /** As barriers do that somebody wrote for himself. */
    private boolean isDone(int i) {
        synchronized (this) {
            return done[i];
        }
    }

    private void setDone(int i) {
        synchronized (this) {
            done[i] = true;
        }
    }

    private void step(boolean last) {
        int seen = tokens;
        if (last) {
            Schedule.step(1);
            Schedule.step(4);
            tokens = seen + 1;
        }
    }

    private void steps() {
        for (int i = 1; i <= MANY; i++) {
            step(i == MANY);
        }
    }

    private void awaits() {
        for (int i = 0; i < MANY; i++) {
            if (isDone(1)) {
                return;
            }
        }
    }

    void first() {
        awaits();
        setDone(0);
        steps();
    }

    void write() {
        tokens = 100;
    }

    void second() {
        Schedule.step(2);
        if (!Schedule.FIXED) {
            write();
        }
        Schedule.step(3);
    }

    public static void main(String[] arguments) throws Exception {
        Looking shared = new Looking();
        Thread first = new Thread(shared::first, "first"), second = new Thread(shared::second, "second");
        first.start();
        second.start();
        first.join();
        second.join();
        shared.setDone(1);
    }
}
