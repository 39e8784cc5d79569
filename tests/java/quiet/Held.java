import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import unwatched.Schedule;

/** Each update reads under some locks and writes under others, and another thread writes in between. When that is
 * emitted, the thread has left the method that read; the other accesses are emitted when they happen. */
public class Held {
    static final class Outer {}

    static final class Inner {}

    private static final Object outer = new Outer(), inner = new Inner(), whole = new Object();
    private static final ReentrantLock first = new ReentrantLock(), last = new ReentrantLock();
    private static final ReentrantReadWriteLock both = new ReentrantReadWriteLock();
    private static long nested, crossed, twice, shared, bare, waited;

    private static void take(ReentrantLock lock) {
        lock.lock();
    }

    private static void give(ReentrantLock lock) {
        lock.unlock();
    }

    static long getNested() {
        synchronized (outer) {
            synchronized (inner) {
                return nested;
            }
        }
    }

    static void setNested(long value) {
        synchronized (outer) {
            synchronized (inner) {
                nested = value;
            }
        }
    }

    /** Hand over hand: the lock that was taken last is the only one at the access. */
    static long getCrossed() {
        take(first);
        take(last);
        give(first);
        long value = crossed;
        give(last);
        return value;
    }

    static void setCrossed(long value) {
        take(first);
        take(last);
        give(first);
        crossed = value;
        give(last);
    }

    static synchronized long getTwice() {
        synchronized (Held.class) {
            return twice;
        }
    }

    static synchronized void setTwice(long value) {
        twice = value;
    }

    static long getShared() {
        both.readLock().lock();
        try {
            return shared;
        } finally {
            both.readLock().unlock();
        }
    }

    static void setShared(long value) {
        both.writeLock().lock();
        try {
            shared = value;
        } finally {
            both.writeLock().unlock();
        }
    }

    /** The locks have been given back, or are taken later. */
    static long getBare() {
        take(first);
        give(first);
        long value = bare;
        synchronized (inner) {
            take(last);
        }
        give(last);
        return value;
    }

    static void setBare(long value) {
        bare = value;
        synchronized (outer) {
            take(first);
        }
        give(first);
    }

    /** An exception gives the lock back. */
    static void fail() {
        synchronized (inner) {
            throw new IllegalStateException();
        }
    }

    static long getThrown() {
        synchronized (outer) {
            try {
                fail();
            } catch (IllegalStateException e) {
                return waited;
            }
            return 0;
        }
    }

    static void setThrown(long value) {
        synchronized (outer) {
            waited = value;
        }
    }

    private interface Get {
        long get();
    }

    private interface Set {
        void set(long value);
    }

    private static void update(int step, Get get, Set set) {
        long value = get.get();
        Schedule.step(step);
        Schedule.step(step + 3);
        set.set(value + 1);
    }

    /** In the twin nobody comes in between. */
    private static void change(int step, Get get, Set set) {
        if (!Schedule.FIXED) {
            update(step, get, set);
            return;
        }
        synchronized (whole) {
            update(step, get, set);
        }
    }

    static void updateNested() {
        change(1, Held::getNested, Held::setNested);
    }

    static void updateCrossed() {
        change(5, Held::getCrossed, Held::setCrossed);
    }

    static void updateTwice() {
        change(9, Held::getTwice, Held::setTwice);
    }

    static void updateShared() {
        change(13, Held::getShared, Held::setShared);
    }

    static void updateBare() {
        change(17, Held::getBare, Held::setBare);
    }

    static void updateThrown() {
        change(21, Held::getThrown, Held::setThrown);
    }

    private static void disturb(int step, Set set) {
        Schedule.step(step + 1);
        if (Schedule.FIXED) {
            synchronized (whole) {
                set.set(100);
            }
        } else {
            set.set(100);
        }
        Schedule.step(step + 2);
    }

    private static void updateAll() {
        updateNested();
        updateCrossed();
        updateTwice();
        updateShared();
        updateBare();
        updateThrown();
    }

    private static void disturbAll() {
        disturb(1, Held::setNested);
        disturb(5, Held::setCrossed);
        disturb(9, Held::setTwice);
        disturb(13, Held::setShared);
        disturb(17, Held::setBare);
        disturb(21, Held::setThrown);
    }

    public static void main(String[] arguments) throws Exception {
        Thread updater = new Thread(Held::updateAll, "updater");
        Thread other = new Thread(Held::disturbAll, "other");
        updater.start();
        other.start();
        updater.join();
        other.join();
    }
}
