package seriatim.run;

import static seriatim.run.StreamLayout.*;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** Variables in objects of java.util.concurrent: what an AtomicInteger holds, say. */
public final class Cells {
    public static final int EXCHANGE = ATOMIC_EXCHANGE, COMPARE = ATOMIC_COMPARE, ADD = ATOMIC_ADD,
                            FAIL = ATOMIC_FAIL,
                            LOAD = ATOMIC_LOAD;
    private static final SideTable<long[]> table = new SideTable<>();

    private static int countOf(Object holder) {
        if (holder instanceof AtomicIntegerArray)
            return ((AtomicIntegerArray) holder).length();
        if (holder instanceof AtomicLongArray)
            return ((AtomicLongArray) holder).length();
        if (holder instanceof AtomicReferenceArray)
            return ((AtomicReferenceArray<?>) holder).length();
        return 1;
    }

    private static long[] find(ThreadState t, Object holder, int site) {
        Arrays.Cache cache = t.arrays;
        int i = site & Arrays.Cache.SIZE - 1;
        if (cache.keys[i] == holder)
            return cache.parts[i];
        t.inside = true;
        long[] part = table.find(holder);
        if (part == null) {
            int row = Sites.named("L", holder.getClass().getTypeName());
            part = table.add(holder, Parts.make(row, countOf(holder)));
        }
        cache.parts[i] = part;
        cache.keys[i] = holder;
        t.inside = false;
        return part;
    }

    /** Null: it is not emitted. */
    private static long[] partFor(Object holder, int i, ThreadState t, int site) {
        if (holder == null || t.inside || i < 0)
            return null;
        long[] part = find(t, holder, site);
        return i < Parts.count(part) ? part : null;
    }

    private static long[] begin(long[] part, int i, ThreadState t) {
        if (part != null)
            Atomics.lock(t, part, Parts.index(i));
        return part;
    }

    /** Before an operation; one of the others follows. Null: it is not emitted. */
    public static long[] begin(Object holder, int i, ThreadState t, int site) {
        approach(holder, i, t, site);
        return begin(partFor(holder, i, t, site), i, t);
    }

    /** The same before a load. */
    public static long[] beginLoad(Object holder, int i, ThreadState t, int site) {
        long[] part = partFor(holder, i, t, site);
        if (Turns.ON && part != null)
            Turns.atomic(part, Parts.index(i), false, t, site);
        return begin(part, i, t);
    }

    private static void approach(Object holder, int i, ThreadState t, int site) {
        long[] part = Turns.ON ? partFor(holder, i, t, site) : null;
        if (part != null)
            Turns.atomic(part, Parts.index(i), true, t, site);
    }

    public static void loaded(long[] part, int i, long value, ThreadState t, int site) {
        if (part != null)
            Atomics.done(t, part, Parts.index(i), ATOMIC_LOAD, value, value, site);
    }

    /** The operation does not count. */
    static void dropped(long[] part, int i) {
        Atomics.unlock(part, Parts.index(i));
    }

    public static void stored(long[] part, int i, long value, ThreadState t, int site) {
        if (part != null)
            Atomics.done(t, part, Parts.index(i), ATOMIC_STORE, 0, value, site);
    }

    public static void updated(
            long[] part, int i, int kind, long before, long after, ThreadState t, int site) {
        if (part != null)
            Atomics.done(t, part, Parts.index(i), kind, before, after, site);
    }

    /** A turn of an update that is repeated until nobody comes in between: those before do not count. */
    public static void tried(long[] part, int i, boolean done, long before, long after,
            ThreadState t, int site) {
        if (part != null && !done)
            dropped(part, i);
        else
            updated(part, i, ATOMIC_EXCHANGE, before, after, t, site);
    }

    public static void compared(long[] part, int i, boolean done, long before, long after,
            ThreadState t, int site) {
        if (part == null)
            return;
        if (done)
            Atomics.done(t, part, Parts.index(i), ATOMIC_COMPARE, before, after, site);
        else // it found something else
            Atomics.done(t, part, Parts.index(i), ATOMIC_FAIL, ~before, ~before, site);
    }

    /** What stands for the value of a reference: the same for the same object, as far as that goes.
     */
    public static long word(Object reference) {
        return reference == null ? 0 : 1L << 32 | System.identityHashCode(reference);
    }

    // ---- things with as many variables as seriatim.library gives them ----

    /** What has them, if it is not an object of the program. */
    public interface Holder {
        String name();
    }

    /** So many at most. */
    public static final int MOST = (int) (Objects.INDEXED / 8) - 2;

    /** Variable i of an object of the library, or of a Holder. */
    public static long[] variable(Object holder, int i, ThreadState t) {
        long[] part = Parts.make(0, 1);
        part[0] = Objects.address(t, holder) + 8L * i;
        part[1] = t.sequence << Parts.ROW_BITS;
        return part;
    }

    public static void lock(long[] variable, ThreadState t) {
        Atomics.lock(t, variable, Parts.FIRST);
    }

    public static void unlock(long[] variable) {
        Atomics.unlock(variable, Parts.FIRST);
    }

    /** Of a variable that is locked, which unlocks it; its value is not known. */
    public static void emit(int kind, long[] variable, ThreadState t, int site) {
        Atomics.done(t, variable, Parts.FIRST, kind, 0, 0, site);
    }

    private Cells() {}
}
