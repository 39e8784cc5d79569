package seriatim.run;

import static seriatim.run.StreamLayout.*;

import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/** What changed classes call. Nothing here throws, and nothing is called twice for one event.
 * What is called most is always compiled into the program's methods, so it is short: the rest is
 * behind calls that never are. */
public final class Hooks {
    public static final int INTERRUPTED = 3; // the channel of a thread for that

    // ---- methods ----

    @ForceInline
    public static ThreadState enter(int method) {
        ThreadState t = ThreadState.get();
        t.frames.push(method, t.site);
        return t;
    }

    @ForceInline
    public static void leave(ThreadState t) {
        t.frames.pop();
    }

    // The same for a method of which the first deed is an access, if it is short.

    @ForceInline
    public static ThreadState enterAccessing(int method) {
        ThreadState t = ThreadState.get();
        if (t.own == ThreadState.STALE || !t.frames.pushBoarded(method, t.site))
            t.frames.push(method, t.site);
        return t;
    }

    @ForceInline
    public static void leaveAccessing(ThreadState t) {
        t.frames.popBoarded();
    }

    /** If only outermost methods are blocks: what a thread starts with, and what that calls. */
    public static ThreadState enterOutermost(int method) {
        ThreadState t = ThreadState.get();
        if (t.frames.depth < 2 && t.unseen == 0)
            t.frames.push(method, t.site);
        else
            t.unseen++;
        return t;
    }

    public static void leaveOutermost(ThreadState t) {
        if (t.unseen > 0)
            t.unseen--;
        else
            t.frames.pop();
    }

    public static void beginInitialiser(ThreadState t) {
        t.initialising++;
        t.own = ThreadState.STALE;
    }

    public static void endInitialiser(ThreadState t, int number, Class<?> type, int site) {
        t.initialising--;
        Sync.Initialisers.end(t, number, type, site);
    }

    /** A class is used whose initialiser may have been another thread's. */
    public static void used(int number, ThreadState t, int site) {
        if (Sync.Initialisers.any)
            Sync.Initialisers.use(t, number, site);
    }

    public static void leaveAtomic(ThreadState t) {
        t.frames.pop();
        t.frames.pop();
    }

    /** While classes are changed, nothing is emitted. What was before, for resume(). */
    public static boolean pause() {
        ThreadState t = ThreadState.known();
        if (t == null)
            return false;
        boolean before = t.inside;
        t.inside = true;
        t.own = ThreadState.STALE;
        return before;
    }

    public static void resume(boolean before) {
        ThreadState t = ThreadState.known();
        if (t != null)
            t.inside = before;
    }

    private static int texts;

    private static synchronized int newText() {
        return ++texts;
    }

    /** A method that is annotated as atomic, after enter(). */
    public static void beginAtomic(ThreadState t, String name) {
        int text = newText();
        boolean before = t.inside;
        t.inside = true;
        Writer.text(t, text, name);
        Writer.publish(t);
        t.inside = before;
        t.frames.push(-text, t.site);
    }

    // ---- plain accesses ----
    // A part has all variables of its class; of elements it is asked whether it has them.

    @ForceInline
    public static void read(long[] part, int index, ThreadState t, int site) {
        if (part == null)
            return;
        if (Turns.ON)
            Turns.access(part, index, false, t, site);
        if (!t.isSince(Memory.there(part, index), t.since))
            Shadow.read(t, part, index, site);
    }

    @ForceInline
    public static void write(long[] part, int index, ThreadState t, int site) {
        if (part == null)
            return;
        if (Turns.ON)
            Turns.access(part, index, true, t, site);
        if (!t.hasWrittenSince(Memory.there(part, index)))
            Shadow.write(t, part, index, site);
    }

    // The same in methods with few accesses, so that more of it may be compiled into them: what no other
    // thread has touched (Shadow.java).

    @ForceInline
    public static void readNear(long[] part, int index, ThreadState t, int site) {
        if (part == null)
            return;
        if (Turns.ON)
            Turns.access(part, index, false, t, site);
        long r = Memory.there(part, index);
        if (t.isSince(r, t.since))
            return;
        if (t.isOwn(r))
            Shadow.keepOwnRead(t, part, index, site);
        else
            Shadow.read(t, part, index, site);
    }

    @ForceInline
    public static void writeNear(long[] part, int index, ThreadState t, int site) {
        if (part == null)
            return;
        if (Turns.ON)
            Turns.access(part, index, true, t, site);
        long r = Memory.there(part, index);
        if (t.hasWrittenSince(r))
            return;
        if (t.isOwn(r))
            Shadow.keepOwnWrite(t, part, index, site);
        else
            Shadow.write(t, part, index, site);
    }

    /** The same in a method that does nothing else, and is no frame. What the first method of a thread
     * calls is one all the same: the watcher sees from these how often its loops turn. */
    @ForceInline
    public static void readOne(long[] part, int index, ThreadState t, int site, int method) {
        if (part == null)
            return;
        if (t.frames.depth < 2 || !t.isSince(Memory.there(part, index), t.since))
            Shadow.readOne(t, part, index, site, method);
    }

    @ForceInline
    public static void writeOne(long[] part, int index, ThreadState t, int site, int method) {
        if (part == null)
            return;
        if (t.frames.depth < 2 || !t.hasWrittenSince(Memory.there(part, index)))
            Shadow.writeOne(t, part, index, site, method);
    }

    /** Its number among the variables of a part; one that no part has if there is no such element. */
    @ForceInline
    private static long element(int i) {
        return !Arrays.COARSE ? i & 0xffffffffL : i < 0 ? Integer.MAX_VALUE : 0;
    }

    @ForceInline
    private static void readElement(long[] part, int i, ThreadState t, int site) {
        long variable = element(i);
        if (Parts.has(part, variable))
            read(part, Parts.index((int) variable), t, site);
    }

    @ForceInline
    private static void writeElement(long[] part, int i, ThreadState t, int site) {
        long variable = element(i);
        if (Parts.has(part, variable))
            write(part, Parts.index((int) variable), t, site);
    }

    /** `place`: the number of the instruction. */
    @ForceInline
    public static void readElement(Object array, int i, ThreadState t, int site, int place) {
        if (array != null)
            readElement(Arrays.part(t, array, place), i, t, site);
    }

    @ForceInline
    public static void writeElement(Object array, int i, ThreadState t, int site, int place) {
        if (array != null)
            writeElement(Arrays.part(t, array, place), i, t, site);
    }

    /** In a loop, the instruction keeps the array that it had last, and its part, in variables of the
     * method: where it is always the same one, the compiler sees that. The part of this array. */
    @ForceInline
    public static long[] readElement(Object array, int i, ThreadState t, int site, int place,
            Object before, long[] part) {
        if (array == null)
            return null;
        if (array != before)
            part = Arrays.part(t, array, place);
        readElement(part, i, t, site);
        return part;
    }

    @ForceInline
    public static long[] writeElement(Object array, int i, ThreadState t, int site, int place,
            Object before, long[] part) {
        if (array == null)
            return null;
        if (array != before)
            part = Arrays.part(t, array, place);
        writeElement(part, i, t, site);
        return part;
    }

    // In methods that have so many accesses that it would take long to compile them.

    @DontInline
    public static void readFar(long[] part, int index, ThreadState t, int site) {
        read(part, index, t, site);
    }

    @DontInline
    public static void writeFar(long[] part, int index, ThreadState t, int site) {
        write(part, index, t, site);
    }

    @DontInline
    public static void readElementFar(Object array, int i, ThreadState t, int site, int place) {
        readElement(array, i, t, site, place);
    }

    @DontInline
    public static void writeElementFar(Object array, int i, ThreadState t, int site, int place) {
        writeElement(array, i, t, site, place);
    }

    /** As far as the range lies in the array: if it does not, the program gets its exception. */
    public static void readRange(Object array, int from, int count, ThreadState t, int site) {
        range(array, from, count, false, t, site);
    }

    public static void writeRange(Object array, int from, int count, ThreadState t, int site) {
        range(array, from, count, true, t, site);
    }

    private static void range(
            Object array, int from, int count, boolean write, ThreadState t, int site) {
        if (!Settings.arrays || array == null || !array.getClass().isArray() || from < 0)
            return;
        long[] part = Arrays.part(t, array, site);
        int elements = Parts.count(part);
        int end = (int) Math.min((long) from + count, Arrays.COARSE ? 1 : elements);
        for (int i = Arrays.COARSE ? 0 : from; i < end; i++)
            if (write)
                write(part, Parts.index(i), t, site);
            else
                read(part, Parts.index(i), t, site);
    }

    /** An array is copied by clone(). */
    public static void cloning(Object array, ThreadState t, int site) {
        readRange(array, 0, Integer.MAX_VALUE, t, site);
    }

    public static void readStatic(int number, int index, ThreadState t, int site) {
        read(Parts.statics(number), index, t, site);
    }

    public static void writeStatic(int number, int index, ThreadState t, int site) {
        write(Parts.statics(number), index, t, site);
    }

    public static void readStaticOne(int number, int index, ThreadState t, int site, int method) {
        readOne(Parts.statics(number), index, t, site, method);
    }

    public static void writeStaticOne(int number, int index, ThreadState t, int site, int method) {
        writeOne(Parts.statics(number), index, t, site, method);
    }

    // ---- parts ----

    /** For a constructor: one that the object has already stays. */
    public static long[] part(long[] there, int row, int variables) {
        return there != null ? there : Parts.make(row, variables);
    }

    /** The part of an object whose class could not be given a member for it. */
    public static long[] partOf(Object object, int row, int variables) {
        return Parts.beside(object, row, variables);
    }

    /** An object was copied by clone(): its fields were read, and the copy has the parts of the
     * original. It gets its own. */
    public static void cloned(Object original, Object copy, ThreadState t, int site) {
        if (copy != null && copy.getClass() == original.getClass() && !copy.getClass().isArray())
            OwnParts.separate(original, copy, t, site);
    }

    // ---- volatiles ----

    /** Before a volatile access; afterVolatile follows. */
    public static void beforeVolatile(
            long[] part, int index, ThreadState t, int site, boolean write) {
        if (part == null || t.inside)
            return;
        if (Turns.ON)
            Turns.atomic(part, index, write, t, site);
        Atomics.lock(t, part, index);
        t.locked = part;
    }

    /** The value of a volatile access: what is written comes before it, what is read behind it. */
    public static void value(int value, ThreadState t) {
        t.value = value;
    }

    public static void value(long value, ThreadState t) {
        t.value = value;
    }

    public static void value(Object value, ThreadState t) {
        t.value = t.locked == null ? 0 : Cells.word(value);
    }

    public static void afterVolatile(int index, boolean write, ThreadState t, int site) {
        long[] part = t.locked;
        if (part == null)
            return;
        t.locked = null;
        long value = t.value;
        Atomics.done(t, part, index, write ? ATOMIC_STORE : ATOMIC_LOAD, write ? 0 : value, value,
                site);
    }

    /** The atomic access that comes next is one of a loop in which the thread waits for others. */
    public static void looking(ThreadState t) {
        t.looking = true;
    }

    /** The thread catches that it was interrupted. */
    public static void interrupted(ThreadState t, int site) {
        Sync.receive(t, Thread.currentThread(), INTERRUPTED, site);
    }

    // ---- monitors ----

    public static void entered(Object monitor, ThreadState t, int site) {
        Sync.acquire(t, monitor, LOCK_MUTEX, site);
        t.held.add(monitor);
    }

    public static void exiting(Object monitor, ThreadState t, int site) {
        t.held.remove(monitor);
        Sync.release(t, monitor, LOCK_MUTEX, site);
    }

    /** How often the thread holds the monitor, which it gives up. */
    public static int beginWait(Object monitor, ThreadState t, int site) {
        int times = t.held.times(monitor);
        for (int i = 0; i < times; i++)
            Sync.release(t, monitor, LOCK_MUTEX, site);
        Sync.split(t);
        return times;
    }

    public static void endWait(Object monitor, int times, ThreadState t, int site) {
        for (int i = 0; i < times; i++)
            Sync.acquire(t, monitor, LOCK_MUTEX, site);
    }

    private Hooks() {}
}
