import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.AbstractQueuedLongSynchronizer;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import unwatched.Between;

/**
 * Locks of the program's own. Each of the methods named after one adds to a number that the lock guards, by two critical
 * sections, and another call of it comes in between. With -Dfixed=true they do it by one.
 *
 * With the argument "apart" the other call comes after the first one: then nothing is cut, but could have been. That of
 * "proper" leaves out the locks of which predictions do not know that they are locks.
 */
public final class Own {
    interface Guard {
        void lock() throws Exception;

        void unlock();
    }

    /** The one that most programs write. */
    static class Mutex extends AbstractQueuedSynchronizer implements Guard {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean tryAcquire(int ignored) {
            if (!compareAndSetState(0, 1))
                return false;
            setExclusiveOwnerThread(Thread.currentThread());
            return true;
        }

        @Override
        protected boolean tryRelease(int ignored) {
            if (!isHeldExclusively())
                throw new IllegalMonitorStateException();
            setExclusiveOwnerThread(null);
            setState(0);
            return true;
        }

        @Override
        protected boolean isHeldExclusively() {
            return getState() == 1 && getExclusiveOwnerThread() == Thread.currentThread();
        }

        @Override
        public void lock() {
            acquire(1);
        }

        @Override
        public void unlock() {
            release(1);
        }

        Condition condition() {
            return new ConditionObject();
        }
    }

    /** A class of its own around it, and it is only tried. */
    static final class Tried implements Guard {
        private final Mutex mutex = new Mutex();

        @Override
        public void lock() {
            while (!mutex.tryAcquire(1))
                Thread.yield();
        }

        @Override
        public void unlock() {
            mutex.release(1);
        }
    }

    /** Counts how often it is held; who owns it is a plain field. */
    static class Reentrant extends AbstractQueuedSynchronizer implements Guard {
        private static final long serialVersionUID = 1;
        private transient Thread owner;

        @Override
        protected boolean tryAcquire(int more) {
            int held = getState();
            if (held > 0 && owner != Thread.currentThread())
                return false;
            if (held == 0 && !compareAndSetState(0, more))
                return false;
            if (held > 0)
                setState(held + more);
            owner = Thread.currentThread();
            return true;
        }

        @Override
        protected boolean tryRelease(int less) {
            if (owner != Thread.currentThread())
                throw new IllegalMonitorStateException();
            int held = getState() - less;
            if (held == 0)
                owner = null;
            setState(held);
            return held == 0;
        }

        @Override
        public void lock() {
            acquire(1);
            acquire(1);
            release(1);
        }

        @Override
        public void unlock() {
            acquire(1);
            release(2);
        }
    }

    /** Who finds it free takes it at once. */
    static final class Barging extends Reentrant {
        private static final long serialVersionUID = 1;
        private transient Thread first;

        @Override
        protected boolean tryRelease(int less) {
            first = null;
            setState(0);
            return true;
        }

        @Override
        public void lock() {
            if (compareAndSetState(0, 1))
                first = Thread.currentThread();
            else
                acquire(1);
        }

        @Override
        public void unlock() {
            if (first != Thread.currentThread())
                first = null;
            release(1);
        }
    }

    /** With a long. */
    static final class Wide extends AbstractQueuedLongSynchronizer implements Guard {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean tryAcquire(long mark) {
            return compareAndSetState(0, mark);
        }

        @Override
        protected boolean tryRelease(long mark) {
            setState(0);
            return true;
        }

        @Override
        public void lock() throws InterruptedException {
            if (!tryAcquireNanos(1L << 40, Long.MAX_VALUE))
                throw new IllegalStateException();
        }

        @Override
        public void unlock() {
            release(1L << 40);
        }
    }

    /** For readers, who count upwards, and one writer. */
    static final class ReadWrite extends AbstractQueuedSynchronizer {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean tryAcquire(int ignored) {
            return compareAndSetState(0, -1);
        }

        @Override
        protected boolean tryRelease(int ignored) {
            setState(0);
            return true;
        }

        @Override
        protected int tryAcquireShared(int ignored) {
            for (;;) {
                int readers = getState();
                if (readers < 0)
                    return -1;
                if (compareAndSetState(readers, readers + 1))
                    return 1;
            }
        }

        @Override
        protected boolean tryReleaseShared(int ignored) {
            for (;;) {
                int readers = getState();
                if (compareAndSetState(readers, readers - 1))
                    return readers == 1;
            }
        }
    }

    /** A semaphore: so many threads at a time. */
    static final class Permits extends AbstractQueuedSynchronizer implements Guard {
        private static final long serialVersionUID = 1;

        Permits(int permits) {
            setState(permits);
        }

        @Override
        protected int tryAcquireShared(int ignored) {
            for (;;) {
                int left = getState() - 1;
                if (left < 0 || compareAndSetState(left + 1, left))
                    return left;
            }
        }

        @Override
        protected boolean tryReleaseShared(int ignored) {
            for (;;) {
                int left = getState();
                if (compareAndSetState(left, left + 1))
                    return true;
            }
        }

        @Override
        public void lock() throws InterruptedException {
            acquireSharedInterruptibly(1);
        }

        @Override
        public void unlock() {
            releaseShared(1);
        }
    }

    /** Open for good, once it was opened. */
    static final class Gate extends AbstractQueuedSynchronizer {
        private static final long serialVersionUID = 1;

        @Override
        protected int tryAcquireShared(int ignored) {
            return getState() != 0 ? 1 : -1;
        }

        @Override
        protected boolean tryReleaseShared(int ignored) {
            setState(1);
            return true;
        }

        void open() {
            releaseShared(1);
        }

        void pass() {
            acquireShared(1);
        }

        boolean isOpen() {
            return getState() != 0;
        }
    }

    /** Who waits sleeps: the example in the documentation of LockSupport. */
    static final class Fifo implements Guard {
        private final AtomicBoolean locked = new AtomicBoolean();
        private final ConcurrentLinkedQueue<Thread> waiters = new ConcurrentLinkedQueue<>();

        @Override
        public void lock() {
            Thread me = Thread.currentThread();
            waiters.add(me);
            while (waiters.peek() != me || !locked.compareAndSet(false, true))
                LockSupport.park(this);
            waiters.remove();
        }

        @Override
        public void unlock() {
            locked.set(false);
            LockSupport.unpark(waiters.peek());
        }
    }

    /** A number for each, and whose turn it is. */
    static final class Tickets implements Guard {
        private final AtomicInteger next = new AtomicInteger(), turn = new AtomicInteger();

        @Override
        public void lock() {
            int mine = next.getAndIncrement();
            while (turn.get() != mine)
                Thread.onSpinWait();
        }

        @Override
        public void unlock() {
            turn.set(turn.get() + 1);
        }
    }

    /** A queue in which each waits for the one before (Craig, Landin, Hagersten). */
    static final class Queued implements Guard {
        static final class Node {
            volatile boolean held;
        }

        private final AtomicReference<Node> tail = new AtomicReference<>(new Node());
        private final ThreadLocal<Node> mine = new ThreadLocal<>();

        @Override
        public void lock() {
            Node node = new Node();
            node.held = true;
            mine.set(node);
            Node before = tail.getAndSet(node);
            while (before.held)
                Thread.onSpinWait();
        }

        @Override
        public void unlock() {
            mine.get().held = false;
        }
    }

    private static final boolean FIXED = Between.FIXED;

    private static void pause(boolean slowly) {
        if (!apart)
            Between.pause(slowly);
    }

    private static boolean apart, proper;

    /** A number that a lock guards. */
    static final class Guarded {
        private final Guard guard;
        private int number;

        Guarded(Guard guard) {
            this.guard = guard;
        }

        int add(int more) throws Exception {
            guard.lock();
            try {
                return number += more;
            } finally {
                guard.unlock();
            }
        }

        void addLate(boolean slowly) throws Exception {
            if (FIXED) {
                add(1);
                return;
            }
            int seen = add(0);
            pause(slowly);
            guard.lock();
            try {
                number = seen + 1;
            } finally {
                guard.unlock();
            }
        }
    }

    private final Guarded byMutex = new Guarded(new Mutex()), byTrying = new Guarded(new Tried());
    private final Guarded byReentrant = new Guarded(new Reentrant());
    private final Guarded byBarging = new Guarded(new Barging()), byWide = new Guarded(new Wide());
    private final Guarded byPermit = new Guarded(new Permits(1)), byFifo = new Guarded(new Fifo());
    private final Guarded byTickets = new Guarded(new Tickets()), byQueue = new Guarded(new Queued());

    void mutex(boolean slowly) throws Exception {
        byMutex.addLate(slowly);
    }

    void tried(boolean slowly) throws Exception {
        byTrying.addLate(slowly);
    }

    void reentrant(boolean slowly) throws Exception {
        byReentrant.addLate(slowly);
    }

    void barging(boolean slowly) throws Exception {
        byBarging.addLate(slowly);
    }

    void wide(boolean slowly) throws Exception {
        byWide.addLate(slowly);
    }

    void permit(boolean slowly) throws Exception {
        byPermit.addLate(slowly);
    }

    void fifo(boolean slowly) throws Exception {
        byFifo.addLate(slowly);
    }

    void tickets(boolean slowly) throws Exception {
        byTickets.addLate(slowly);
    }

    void queued(boolean slowly) throws Exception {
        byQueue.addLate(slowly);
    }

    private final ReadWrite readWrite = new ReadWrite();
    private int shared;

    private int read() {
        readWrite.acquireShared(1);
        try {
            return shared;
        } finally {
            readWrite.releaseShared(1);
        }
    }

    void readWrite(boolean slowly) {
        int seen = FIXED ? 0 : read();
        pause(slowly && !FIXED);
        readWrite.acquire(1);
        try {
            shared = FIXED ? shared + 1 : seen + 1;
        } finally {
            readWrite.release(1);
        }
    }

    // ---- never cut ----

    private final Mutex bufferLock = new Mutex();
    private final Condition changed = bufferLock.condition();
    private final ArrayDeque<Integer> buffer = new ArrayDeque<>();
    private int taken;

    /** Waits, if need be, as threads that use conditions do. */
    void condition(boolean slowly) throws InterruptedException {
        bufferLock.lock();
        try {
            if (slowly) {
                pause(!FIXED);
                while (buffer.isEmpty())
                    changed.await();
                taken += buffer.remove();
            } else {
                buffer.add(1);
                changed.signalAll();
            }
        } finally {
            bufferLock.unlock();
        }
    }

    private final Gate gate = new Gate(), second = new Gate();
    private int data;

    /** Hands over, and gets something back: what it does before it waits, and after that, are two things. */
    void gates(boolean slowly) {
        if (slowly) {
            data++;
            gate.open();
            second.pass();
            data++;
        } else {
            gate.pass();
            data++;
            second.open();
        }
    }

    private final Gate looked = new Gate();
    private int told;

    void lookedAt(boolean slowly) {
        if (slowly) {
            told = 1;
            looked.open();
        } else if (looked.isOpen()) {
            told++;
        }
    }

    private final Permits signals = new Permits(0);
    private int signalled;

    /** Nobody who acquires it gives it back. */
    void signal(boolean slowly) throws InterruptedException {
        if (slowly) {
            signals.lock();
            signalled++;
        } else {
            signalled = 1;
            signals.unlock();
        }
    }

    private final Wide handed = new Wide();
    private int work;

    /** An exclusive one that somebody else releases. */
    void handed(boolean slowly) throws InterruptedException {
        if (slowly) {
            handed.lock();
            work++;
            pause(!FIXED);
            handed.lock();
            work++;
        } else {
            while (FIXED && !handed.hasQueuedThreads())
                Thread.yield();
            handed.unlock();
        }
    }

    private final Permits two = new Permits(2);
    private final Semaphore real = new Semaphore(1);
    private int third;

    /** Two at a time, and in there one. */
    void several(boolean slowly) throws InterruptedException {
        two.lock();
        real.acquire();
        try {
            third++;
        } finally {
            real.release();
            two.unlock();
        }
    }

    private void all() throws Exception {
        List<Between.Use> uses = new ArrayList<>(List.of(this::mutex, this::tried, this::reentrant, this::barging, this::wide,
                this::permit, this::fifo, this::readWrite));
        if (!proper)
            Collections.addAll(uses, this::tickets, this::queued);
        for (Between.Use use : uses)
            if (apart)
                Between.oneByOne(use);
            else
                Between.cut(use);
        if (FIXED)
            for (Between.Use use : List.<Between.Use>of(this::condition, this::gates, this::lookedAt, this::signal, this::handed,
                    this::several))
                Between.cut(use);
    }

    public static void main(String[] arguments) throws Exception {
        apart = List.of(arguments).contains("apart");
        proper = List.of(arguments).contains("proper");
        new Own().all();
        System.out.println("ok");
    }

    private Own() {}
}
