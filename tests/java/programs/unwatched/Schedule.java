package unwatched;

/**
 * Forces the schedule of a test program: calls of step return in the order of their numbers.
 *
 * <p>The package is not watched, so nothing here orders anything for seriatim: it sees a run that
 * happened to go this way. In the twin of a program a thread that wants to come in between must wait
 * for a lock, so the order cannot be kept; there, step waits for a moment and goes on.
 */
public final class Schedule {
    /** This is the program without its bug. */
    public static final boolean FIXED = Boolean.getBoolean("fixed");

    private static final long MOMENT = 20_000_000; // nanoseconds

    private static volatile int turn = 1;

    public static void step(int number) {
        long end = System.nanoTime() + MOMENT;
        while (turn < number && !(FIXED && System.nanoTime() > end)) {
            Thread.yield();
        }
        pass(number);
    }

    /** Until the thread waits for somebody. */
    public static void untilWaits(Thread thread) {
        while (thread.getState() != Thread.State.WAITING) {
            Thread.yield();
        }
    }

    /** Until a future is completed, which it says here without being asked. */
    public static void untilCompleted(java.util.concurrent.CompletableFuture<?> future) {
        while (!future.toString().contains("[Completed")) {
            Thread.yield();
        }
    }

    private static synchronized void pass(int number) {
        turn = Math.max(turn, number + 1);
    }

    private Schedule() {}
}
