package seriatim.run;

import static seriatim.control.ControlLayout.*;
import static seriatim.run.StreamLayout.NONE;

import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import seriatim.control.Clock;
import seriatim.control.Control;
import seriatim.control.Host;
import seriatim.control.JdkMonitors;
import seriatim.control.Points;
import seriatim.control.Runner;
import seriatim.control.Waiting;

/**
 * Under `hunt` and `replay`, threads take turns (seriatim.control). Everything here is nothing in
 * other runs, and for threads that take no turns: those of the JVM, and what they start.
 */
public final class Turns implements Host {
    private static final String AREA = System.getenv("SERIATIM_CONTROL");
    public static final boolean ON = AREA != null && !AREA.isEmpty();
    private static final long OWNER = ownerOffset();

    /** Where libseriatim_java.so is. */
    public static String library;

    private static boolean begun;

    static void start(ThreadState t) {
        if (!ON)
            return;
        String trouble = Control.start(AREA, library, new Turns());
        if (trouble != null) {
            if (!trouble.isEmpty())
                Settings.complain("the threads run freely: " + trouble);
            return;
        }
        makeRandomNumbersAlike();
        Slots.endAlone(t);
        t.runner = Control.first();
        begun = true;
    }

    /** What java.util.concurrent draws for itself begins with the time of day otherwise. */
    private static void makeRandomNumbersAlike() {
        try {
            java.lang.reflect.Field field =
                    java.util.concurrent.ThreadLocalRandom.class.getDeclaredField("seeder");
            Object seeder = Memory.UNSAFE.getObject(
                    Memory.UNSAFE.staticFieldBase(field), Memory.UNSAFE.staticFieldOffset(field));
            ((java.util.concurrent.atomic.AtomicLong) seeder).set(1);
        } catch (ReflectiveOperationException | RuntimeException e) {
            Settings.mention("random numbers of java.util.concurrent differ from run to run: " + e);
        }
    }

    private static long ownerOffset() {
        try {
            return Memory.UNSAFE.objectFieldOffset(
                    AbstractOwnableSynchronizer.class.getDeclaredField("exclusiveOwnerThread"));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return -1;
        }
    }

    /** Of a thread that has just got its state. */
    static void known(ThreadState t) {
        if (begun)
            t.runner = Control.of(Thread.currentThread());
    }

    /** Of the calling thread; null: it takes no turns, or the agent is at work in it. */
    private static ThreadState self() {
        ThreadState t = begun ? ThreadState.known() : null;
        if (t == null && begun && Control.of(Thread.currentThread()) != null)
            t = ThreadState.get();
        return t == null || t.runner == null || t.inside ? null : t;
    }

    private static boolean takesTurns(ThreadState t) {
        return t.runner != null && !t.inside;
    }

    // ---- points ----

    /** Before an operation on an object, which may be null. */
    public static void point(int kind, Object object, ThreadState t, int site) {
        if (!ON || !takesTurns(t))
            return;
        t.inside = true;
        try {
            long address = object == null ? 0 : Objects.reserved(object);
            Points.point(t.runner, kind, address, address == 0 ? 0 : 1, site);
        } finally {
            t.inside = false;
        }
    }

    /** Before an atomic access to a variable. */
    static void atomic(long[] part, int index, boolean write, ThreadState t, int site) {
        if (!takesTurns(t))
            return;
        t.inside = true;
        try {
            Points.point(t.runner, write ? AT_ATOMIC_WRITE : AT_ATOMIC_READ,
                    Parts.reserved(part) + Parts.offset(index), 8, site, part,
                    Parts.touches(part, index));
        } finally {
            t.inside = false;
        }
    }

    /** Before a plain access to a variable. */
    static void access(long[] part, int index, boolean write, ThreadState t, int site) {
        if (!takesTurns(t))
            return;
        t.inside = true;
        try {
            Points.access(t.runner, Parts.reserved(part) + Parts.offset(index), write, site, part,
                    Parts.touches(part, index));
        } finally {
            t.inside = false;
        }
    }

    /** Others that wait for a class to be initialised could not be seen. */
    public static void initialising(ThreadState t, int more) {
        if (t.runner != null)
            t.runner.initialising += more;
    }

    // ---- monitors ----

    /** Before a monitor is entered. */
    public static void entering(Object monitor, ThreadState t, int site) {
        if (monitor == null || !takesTurns(t))
            return;
        point(AT_LOCK, monitor, t, site);
        t.inside = true;
        Waiting.enter(t.runner, monitor);
        t.inside = false;
    }

    /** Before a method of the JDK is called that enters and leaves a monitor itself. */
    public static void passing(Object receiver, ThreadState t, int site) {
        Object monitor = takesTurns(t) ? JdkMonitors.of(receiver) : null;
        if (monitor == null || Thread.holdsLock(monitor))
            return;
        entering(monitor, t, site);
        left(monitor, t);
    }

    /** Before a monitor is left. */
    public static void leaving(Object monitor, ThreadState t, int site) {
        if (monitor != null)
            point(AT_UNLOCK, monitor, t, site);
    }

    /** After it was left. */
    public static void left(Object monitor, ThreadState t) {
        if (t.runner == null || t.inside)
            return;
        t.inside = true;
        Waiting.exit(t.runner, monitor);
        t.inside = false;
    }

    /** True: the thread has waited at its monitor; false: it is for the JVM to do that. */
    public static boolean await(Object monitor, long nanoseconds, ThreadState t)
            throws InterruptedException {
        if (!ON || !takesTurns(t) || !Thread.holdsLock(monitor) || nanoseconds < 0)
            return false;
        if (Thread.interrupted())
            throw new InterruptedException();
        t.inside = true;
        boolean interrupted = Waiting.await(t.runner, monitor, deadline(nanoseconds));
        t.inside = false;
        if (interrupted) {
            Thread.interrupted();
            throw new InterruptedException();
        }
        return true;
    }

    /** Where 0 stands for ever. */
    private static long deadline(long nanoseconds) {
        return nanoseconds == 0 ? Clock.FOREVER : Clock.deadline(nanoseconds);
    }

    /** Behind the real notification: of those who take turns, who is woken? */
    public static void notified(Object monitor, boolean all, ThreadState t) {
        if (!ON || !takesTurns(t))
            return;
        t.inside = true;
        Waiting.notify(t.runner, monitor, all);
        t.inside = false;
    }

    // ---- LockSupport, as its own methods call it ----

    private static Runner ownerOf(Object blocker) {
        if (OWNER < 0 || !(blocker instanceof AbstractOwnableSynchronizer))
            return null;
        Thread owner = (Thread) Memory.UNSAFE.getObject(blocker, OWNER);
        return owner == null ? Synchronizers.ownerOf(blocker) : Control.of(owner);
    }

    private static boolean parkUntil(Object blocker, long deadline) {
        ThreadState t = self();
        if (t == null)
            return false;
        t.inside = true;
        if (!Waiting.takePermit(t.runner) && !Thread.currentThread().isInterrupted())
            Waiting.park(t.runner, ownerOf(blocker), deadline);
        t.inside = false;
        return true;
    }

    /** True: that was it. */
    public static boolean park(Object blocker) {
        return parkUntil(blocker, Clock.FOREVER);
    }

    public static boolean parkNanos(Object blocker, long nanoseconds) {
        return begun && (nanoseconds <= 0 ? self() != null
                : parkUntil(blocker, Clock.deadline(nanoseconds)));
    }

    public static boolean parkUntilDate(Object blocker, long milliseconds) {
        return begun && parkUntil(blocker,
                Clock.deadline(Math.max(0, milliseconds - Clock.date()) * 1_000_000));
    }

    public static boolean unpark(Thread thread) {
        ThreadState t = begun && thread != null ? ThreadState.known() : null;
        if (!begun || thread == null || (t != null && t.inside))
            return false;
        Runner runner = Control.of(thread);
        if (runner == null)
            return false;
        boolean before = t != null && t.inside;
        if (t != null)
            t.inside = true;
        Waiting.unpark(runner);
        if (t != null)
            t.inside = before;
        return true;
    }

    // ---- threads ----

    /** Before a thread starts another one. */
    static void starting(ThreadState t, Thread thread) {
        if (!ON || !takesTurns(t) || thread.getThreadGroup() == null
                || thread.getThreadGroup().getParent() == null)
            return; // the JVM has threads of its own in the outermost group
        point(AT_FORK, null, t, t.site);
        t.inside = true;
        Control.starts(t.runner, thread);
        t.inside = false;
    }

    /** In the new thread, before it does anything. */
    public static void begins() {
        Runner runner = begun ? Control.of(Thread.currentThread()) : null;
        if (runner != null)
            Control.begins(runner);
    }

    static void ends(ThreadState t) {
        if (!begun)
            return;
        Runner runner = t != null ? t.runner : Control.of(Thread.currentThread());
        if (runner == null)
            return;
        if (t != null)
            t.runner = null;
        Control.ends(runner);
    }

    /** Behind the real interruption. */
    public static void interrupted(Thread thread) {
        Runner runner = begun ? Control.of(thread) : null;
        if (runner == null)
            return;
        ThreadState t = ThreadState.known();
        boolean before = t != null && t.inside;
        if (t != null)
            t.inside = true;
        Waiting.interrupt(runner);
        if (t != null)
            t.inside = before;
    }

    /** Before a thread is joined. False: it has not ended, though the call is over. */
    public static boolean join(Thread thread, long nanoseconds) throws InterruptedException {
        ThreadState t = self();
        Runner other = t == null ? null : Control.of(thread);
        if (other == null || other == t.runner || nanoseconds < 0)
            return true;
        if (Thread.currentThread().isInterrupted())
            return true; // which the real one finds out
        point(AT_JOIN, thread, t, t.site);
        t.inside = true;
        boolean ended = Waiting.join(t.runner, other, deadline(nanoseconds));
        t.inside = false;
        if (!ended && Thread.interrupted())
            throw new InterruptedException();
        return ended;
    }

    /** True: that was it. */
    public static boolean sleep(long nanoseconds) throws InterruptedException {
        ThreadState t = self();
        if (t == null || nanoseconds < 0)
            return false;
        if (Thread.interrupted())
            throw new InterruptedException();
        point(AT_SLEEP, null, t, t.site);
        t.inside = true;
        boolean interrupted = Waiting.sleep(t.runner, Clock.deadline(nanoseconds));
        t.inside = false;
        if (interrupted) {
            Thread.interrupted();
            throw new InterruptedException();
        }
        return true;
    }

    public static void exit(ThreadState t, int site) {
        if (!ON || !takesTurns(t))
            return;
        t.inside = true;
        Points.exit(t.runner, site);
        t.inside = false;
    }

    /** The thread has done more than look. */
    static void changed(ThreadState t) {
        if (ON && t.runner != null)
            t.runner.changes();
    }

    /** It waits for the watcher, and not for other threads. */
    static void waits(ThreadState t) {
        if (t != null && t.runner != null)
            t.runner.comesBy();
    }

    // ---- clocks, also for the JDK's own classes ----

    public static long nanoTime() {
        ThreadState t = self();
        return t == null ? System.nanoTime() : Clock.read(t.runner);
    }

    public static long currentTimeMillis() {
        ThreadState t = self();
        if (t == null)
            return System.currentTimeMillis();
        Clock.read(t.runner);
        return Clock.date();
    }

    public static void sleepMillis(long milliseconds) throws InterruptedException {
        if (!sleep(milliseconds > Long.MAX_VALUE / 1_000_000 ? Long.MAX_VALUE
                : milliseconds * 1_000_000))
            Thread.sleep(milliseconds);
    }

    // ---- what the scheduler asks ----

    @Override
    public void before() {
        ThreadState t = ThreadState.known();
        if (t == null || t.finished)
            return;
        long current = t.current, alike = t.alike, since = t.since;
        Writer.takeSequence(t);
        Writer.emit(t, Writer.what(NONE, 0, 0), 0);
        t.current = current;
        t.alike = alike;
        t.since = since;
        Writer.publish(t);
    }

    @Override
    public void after() {
        ThreadState t = ThreadState.known();
        if (t == null || t.finished)
            return;
        Writer.observe(t, Stream.lastSequence());
        Writer.publish(t);
    }

    /** The block is the outermost annotation, or else the outermost method that the plan does not
     * leave out; what a thread starts with is one only for what it does itself. */
    private static int findBlock(Runner me, Frames frames) {
        for (int i = 0; i < frames.depth; i++)
            if (frames.function(i) < 0)
                return i;
        for (int i = 1; i < frames.depth; i++)
            if (!Points.isOuter(frames.function(i)))
                return i;
        return frames.depth > 0 && !me.isFirst() ? 0 : -1;
    }

    @Override
    public void enterBlock(Runner me) {
        ThreadState t = ThreadState.known();
        Frames frames = t == null ? null : t.frames;
        int at = frames == null ? -1 : findBlock(me, frames);
        if (at >= 0 && frames.numbers[at] == 0) {
            frames.numbers[at] = ++me.blocksBegun;
            if (at == 0 && frames.function(0) >= 0)
                me.rootBlock = frames.numbers[at];
        }
        int block = at >= 0 ? frames.numbers[at] : 0;
        if (block != me.block) {
            me.block = block;
            me.blockPoints = 0;
            me.blockSite = at < 0 ? 0 : Points.siteOf(
                    frames.function(at) < 0 ? frames.calledFrom(at) : frames.function(at));
        }
        if (block != 0)
            me.blockPoints++;
    }

    @Override
    public void callers(long[] callers) {
        ThreadState t = ThreadState.known();
        int depth = t == null ? 0 : t.frames.depth;
        for (int i = 0; i < callers.length; i++)
            callers[i] = i >= depth || t.frames.calledFrom(depth - 1 - i) == 0 ? 0
                    : Sites.pc(t.frames.calledFrom(depth - 1 - i));
    }

    @Override
    public long place(int row) {
        return Sites.pc(row);
    }

    @Override
    public void ends() {
        Stream.end();
    }

    private Turns() {}
}
