package seriatim.run;

import static seriatim.run.StreamLayout.*;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import seriatim.control.Watchdog;

/** Threads: their numbers, beginnings and ends. */
public final class Threads {
    private static final AtomicInteger serials = new AtomicInteger();

    /** By thread id: the serial numbers of threads that were created and not joined yet. */
    private static final Map<Long, Integer> forked = new HashMap<>();

    /** The first thread, in which the agent attaches. */
    static void first() {
        ThreadState t = ThreadState.create(0);
        t.inside = true;
        Writer.emit(t, Writer.what(MODULE, 0, Sites.BASE), 0);
        Writer.emit(t, Writer.what(LENGTH, 0, 0), Sites.LENGTH);
        Writer.text(t, 0, "java:" + Sites.path());
        name(t, 0, Thread.currentThread().getName());
        Writer.publish(t);
        t.inside = false;
    }

    private static void name(ThreadState t, int serial, String name) {
        Writer.emit(t, Writer.what(THREAD_NAME, 0, serial), 0);
        Writer.text(t, 0, name);
        Writer.publish(t);
    }

    /**
     * By thread id: the states of threads that have begun. The thread-local variable is not enough:
     * workers of the common ForkJoinPool lose theirs after each task.
     */
    private static final Map<Long, ThreadState> begun = new HashMap<>();

    static void hasBegun(ThreadState t) {
        synchronized (begun) {
            begun.put(Thread.currentThread().getId(), t);
        }
    }

    static void hasEnded() {
        hasBegun(ThreadState.ENDED);
    }

    static ThreadState begin() {
        Thread thread = Thread.currentThread();
        Integer serial;
        ThreadState before;
        synchronized (begun) {
            before = begun.get(thread.getId());
        }
        if (before != null)
            return before.again();
        Turns.begins();
        synchronized (forked) {
            serial = forked.get(thread.getId());
        }
        if (serial != null)
            return ThreadState.create(serial);
        Slots.endAloneUnseen();
        int number = serials.incrementAndGet();
        synchronized (forked) {
            forked.put(thread.getId(), number);
        }
        ThreadState t = ThreadState.create(number);
        t.inside = true;
        name(t, number, thread.getName());
        t.inside = false;
        return t;
    }

    /** A thread of the agent. */
    static final class Own extends Thread {
        Own(Runnable work) {
            super(work, "seriatim");
        }
    }

    /** Called by Thread.start(), before the thread exists. */
    public static void starting(Thread thread) {
        if (Stream.head == 0 || thread instanceof Own || thread instanceof Watchdog)
            return;
        ThreadState t = ThreadState.get();
        if (t.inside || thread.getState() != Thread.State.NEW)
            return;
        Turns.starting(t, thread);
        t.inside = true;
        try {
            int serial = serials.incrementAndGet();
            synchronized (forked) {
                forked.put(thread.getId(), serial);
            }
            t.frames.emitAll();
            name(t, serial, thread.getName());
            Sync.fork(t, serial, t.site);
        } finally {
            t.inside = false;
        }
        Sync.split(t);
    }

    /** Called at the beginning of Thread.join(). */
    public static void joining(Thread thread) throws InterruptedException {
        Turns.join(thread, 0);
        ThreadState t = Stream.head == 0 ? null : ThreadState.known();
        if (t != null)
            Sync.split(t);
    }

    /** Called at the end of Thread.join(). */
    public static void joined(Thread thread) {
        if (Stream.head == 0 || thread.isAlive())
            return;
        Integer serial;
        synchronized (forked) {
            serial = forked.get(thread.getId());
        }
        ThreadState t = serial == null ? null : ThreadState.get();
        if (t == null || t.inside)
            return;
        t.inside = true;
        try {
            t.frames.emitAll();
            Sync.join(t, serial, t.site);
        } finally {
            t.inside = false;
        }
    }

    /** Called by Thread.exit(), in the thread. */
    public static void ending() {
        if (Stream.head == 0)
            return;
        ThreadState t = ThreadState.known();
        boolean expected;
        synchronized (forked) {
            expected = forked.containsKey(Thread.currentThread().getId());
        }
        if (t == null && expected)
            t = ThreadState.get();
        if (t != null)
            t.end();
        Turns.ends(t);
    }

    private Threads() {}
}
