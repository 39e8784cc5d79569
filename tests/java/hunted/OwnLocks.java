import java.util.ArrayDeque;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.concurrent.locks.Condition;

/** A lock, a condition and a latch that the program makes itself. A withdrawal looks at the balance in one critical section,
 * and takes the money in the next. */
public final class OwnLocks {
    private static final boolean FIXED = Boolean.getBoolean("fixed");

    static final class Mutex extends AbstractQueuedSynchronizer {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean tryAcquire(int one) {
            return compareAndSetState(0, one);
        }

        @Override
        protected boolean tryRelease(int one) {
            setState(0);
            return true;
        }

        @Override
        protected boolean isHeldExclusively() {
            return getState() != 0;
        }

        Condition condition() {
            return new ConditionObject();
        }
    }

    static final class Latch extends AbstractQueuedSynchronizer {
        private static final long serialVersionUID = 1;

        Latch(int count) {
            setState(count);
        }

        @Override
        protected int tryAcquireShared(int ignored) {
            return getState() == 0 ? 1 : -1;
        }

        @Override
        protected boolean tryReleaseShared(int less) {
            for (;;) {
                int count = getState();
                if (compareAndSetState(count, count - less))
                    return count == less;
            }
        }
    }

    private final Mutex mutex = new Mutex(), queueLock = new Mutex();
    private final Condition filled = queueLock.condition();
    private final ArrayDeque<Integer> queue = new ArrayDeque<>();
    private final Latch done = new Latch(2);
    private int balance = 10, paid;

    private int balance() {
        mutex.acquire(1);
        try {
            return balance;
        } finally {
            mutex.release(1);
        }
    }

    boolean withdraw(int amount) {
        if (!FIXED && balance() < amount)
            return false;
        mutex.acquire(1);
        try {
            if (FIXED && balance < amount)
                return false;
            balance -= amount;
            return true;
        } finally {
            mutex.release(1);
        }
    }

    void give(int what) {
        queueLock.acquire(1);
        try {
            queue.add(what);
            filled.signal();
        } finally {
            queueLock.release(1);
        }
    }

    int take() throws InterruptedException {
        queueLock.acquire(1);
        try {
            while (queue.isEmpty())
                filled.await();
            return queue.remove();
        } finally {
            queueLock.release(1);
        }
    }

    void customer() {
        give(withdraw(8) ? 8 : 0);
        done.releaseShared(1);
    }

    void cashier() throws InterruptedException {
        paid = take() + take();
        done.acquireShared(1);
    }

    public static void main(String[] arguments) throws Exception {
        OwnLocks bank = new OwnLocks();
        Thread first = new Thread(bank::customer, "first"), second = new Thread(bank::customer, "second");
        first.start();
        second.start();
        bank.cashier();
        first.join();
        second.join();
        if (bank.paid > 10)
            System.out.println("paid too much");
    }

    private OwnLocks() {}
}
