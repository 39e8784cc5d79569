package seriatim.run;

import static seriatim.run.Memory.UNSAFE;
import static seriatim.run.StreamLayout.*;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.internal.vm.annotation.ForceInline;
import seriatim.control.Watchdog;

/** Threads: their numbers, beginnings and ends. */
public final class Threads {
    private static final AtomicInteger serials = new AtomicInteger();

    private static final class Forked {
        final int serial;

        /** What the thread knows to begin with, and what is known by who joins it. */
        volatile Learned before, after;

        Forked(int serial) {
            this.serial = serial;
        }
    }

    /** By thread id: the threads that were created. */
    private static final Map<Long, Forked> forked = new HashMap<>();

    private static Forked forked(Thread thread) {
        synchronized (forked) {
            return forked.get(thread.getId());
        }
    }

    private static Forked add(Thread thread, int serial) {
        Forked added = new Forked(serial);
        synchronized (forked) {
            forked.put(thread.getId(), added);
        }
        return added;
    }

    /** The calling thread has emitted its end. */
    static void ends(ThreadState t) {
        Forked own = forked(Thread.currentThread());
        if (own != null)
            own.after = t.counts ? Learned.upToNow(t) : null; // else the watcher has no event of it
    }

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
        ThreadField.set(ThreadState.ENDED); // which keeps nothing alive
    }

    static ThreadState begin() {
        Thread thread = Thread.currentThread();
        ThreadState before;
        synchronized (begun) {
            before = begun.get(thread.getId());
        }
        if (before != null)
            return before.again();
        Turns.begins();
        Forked own = forked(thread);
        if (own != null) {
            ThreadState t = ThreadState.create(own.serial);
            t.learned.add(own.before);
            own.before = null;
            return t;
        }
        Slots.endAloneUnseen();
        int number = serials.incrementAndGet();
        add(thread, number);
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
            Forked child = add(thread, serial);
            t.frames.emitAll();
            name(t, serial, thread.getName());
            child.before = Learned.upToNow(t);
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
        Forked child = forked(thread);
        ThreadState t = child == null ? null : ThreadState.get();
        if (t == null || t.inside)
            return;
        t.inside = true;
        try {
            t.frames.emitAll();
            Sync.join(t, child.serial, t.site);
            t.learned.add(child.after);
            child.after = null; // few are joined twice, and programs can have many threads
        } finally {
            t.inside = false;
        }
    }

    /** Called by Thread.exit(), in the thread. */
    public static void ending() {
        if (Stream.head == 0)
            return;
        ThreadState t = ThreadState.known();
        if (t == null && forked(Thread.currentThread()) != null)
            t = ThreadState.get();
        if (t != null)
            t.end();
        Turns.ends(t);
    }

    private Threads() {}
}

/**
 * Where a thread keeps its state: each method that is entered looks there. A ThreadLocal is a table that
 * hangs on the thread, and takes a dozen loads that depend on each other. Threads have one member that
 * the JDK only uses as a monitor, so any object does, and a state is one.
 *
 * <p>Only the thread itself puts it there, when it is not waiting for anything. If another one is just
 * interrupting it, that one leaves the monitor that it has entered.
 */
final class ThreadField {
    /** Below 0: this JDK has no such member, and it is a ThreadLocal after all. */
    private static final long AT = find("blockerLock", "interruptLock");

    private static final ThreadLocal<ThreadState> LOCAL = AT < 0 ? new ThreadLocal<>() : null;

    private static long find(String... names) {
        for (String name : names)
            try {
                java.lang.reflect.Field field = Thread.class.getDeclaredField(name);
                if (field.getType() == Object.class)
                    return UNSAFE.objectFieldOffset(field);
            } catch (ReflectiveOperationException | RuntimeException e) {
                continue; // another JDK calls it otherwise
            }
        return -1;
    }

    /** That of the calling thread; null: it has none. */
    @ForceInline
    static ThreadState get() {
        if (AT < 0)
            return LOCAL.get();
        Object there = UNSAFE.getObject(Thread.currentThread(), AT);
        return there instanceof ThreadState ? (ThreadState) there : null;
    }

    static void set(ThreadState t) {
        if (AT < 0)
            LOCAL.set(t);
        else
            UNSAFE.putObject(Thread.currentThread(), AT, t);
    }

    private ThreadField() {}
}
