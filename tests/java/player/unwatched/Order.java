package unwatched;

import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps the order of a script. The package is not watched, so that order is an accident for whoever
 * watches.
 */
public final class Order {
    private static final int MOST_THREADS = 16;
    private static Order now;

    private final List<Operation> operations;
    private final int[] positions = new int[MOST_THREADS]; // by thread: how far it has come
    private final AtomicReferenceArray<Thread> threads = new AtomicReferenceArray<>(MOST_THREADS);
    private volatile int turn; // so many operations are over

    Order(List<Operation> operations) {
        this.operations = operations;
        now = this;
    }

    /** The thread's next operation, when its turn has come; null: it has no more. The one before is
     * over. */
    public static Operation next(int thread) {
        return now.nextOf(thread);
    }

    private Operation nextOf(int thread) {
        threads.set(thread, Thread.currentThread());
        int at = positions[thread];
        if (at > 0) {
            pass(at);
        }
        while (at < operations.size() && operations.get(at).thread != thread) {
            at++;
        }
        positions[thread] = at + 1;
        if (at == operations.size()) {
            return null;
        }
        while (turn < at) {
            LockSupport.park(this);
        }
        return operations.get(at);
    }

    private void pass(int over) {
        turn = over;
        if (over < operations.size()) {
            LockSupport.unpark(threads.get(operations.get(over).thread));
        }
    }
}
