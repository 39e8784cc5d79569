package seriatim.run;

import static seriatim.run.StreamLayout.*;

import java.lang.reflect.Field;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * The shadow of an object, or of the fields that one class gives it, of static fields, or of an
 * array: words in an array of longs.
 *
 * <pre>
 * 0       address; 0: it has none yet
 * 1       row in the site file (bits 0 to 27); sequence number of its ALLOCATE (28 to 63)
 * 2 + i   of variable i: its word for reads (Shadow.java)
 * ...     from the end backwards, two for each variable: its word for writes; places in the code
 * </pre>
 *
 * These are apart, since most accesses look at the first ones only. Where threads take turns, word 2 is
 * the address that it will have, and there are two more words for each variable in between (touches).
 */
public final class Parts {
    static final int FIRST = Turns.ON ? 3 : 2, ROW_BITS = 28;
    static final long FIRST_ADDRESS = 1L << 45;
    private static final long[] next = {FIRST_ADDRESS};

    /** The address that it has, or will have. */
    static long reserved(long[] part) {
        if (part[0] != 0)
            return part[0];
        if (part[2] == 0)
            part[2] = reserve(bytes(part));
        return part[2];
    }

    private static long bytes(long[] part) {
        return 8 + 8L * count(part);
    }

    /** How many variables it has. */
    static int count(long[] part) {
        return (part.length - FIRST) / Shadow.WORDS;
    }

    /** Of static fields, by the number of their class. Whoever uses a number runs code that was made
     * after it was given, so plain loads do. */
    private static long[][] statics = new long[256][];

    private static int staticCount;

    /** A new part for so many variables. */
    public static long[] make(int row, int variables) {
        long[] part = new long[FIRST + Shadow.WORDS * variables];
        part[1] = row;
        return part;
    }

    /** For static fields of a class that is being changed: its number. */
    public static synchronized int addStatics(int row, int variables) {
        long[][] all = statics;
        if (staticCount == all.length)
            all = java.util.Arrays.copyOf(all, 2 * all.length);
        all[staticCount] = make(row, variables);
        Memory.UNSAFE.storeFence();
        statics = all;
        return staticCount++;
    }

    public static long[] statics(int number) {
        return statics[number];
    }

    private static final SideTable<long[][]> beside = new SideTable<>();

    /** The first part of an object that has no member for it; null: it has none. */
    static long[] besideOf(Object object) {
        if (Settings.jdkClasses().isEmpty())
            return null;
        long[][] parts = beside.find(object);
        return parts == null ? null : parts[0];
    }

    /** The part of an object that has no member for it: one for each class in its ancestry. */
    static long[] beside(Object object, int row, int variables) {
        if (object == null)
            return null;
        ThreadState t = ThreadState.get();
        if (t.inside)
            return null;
        t.inside = true;
        try {
            long[][] parts = beside.find(object);
            if (parts == null)
                parts = beside.add(object, new long[4][]);
            synchronized (parts) {
                for (int i = 0; i < parts.length; i++) {
                    if (parts[i] == null)
                        parts[i] = make(row, variables);
                    if (((int) parts[i][1] & ((1 << ROW_BITS) - 1)) == row)
                        return parts[i];
                }
            }
            return null;
        } finally {
            t.inside = false;
        }
    }

    public static int index(int variable) {
        return FIRST + variable;
    }

    static int variable(int index) {
        return index - FIRST;
    }

    /** Has it this variable? */
    @ForceInline
    static boolean has(long[] part, long variable) {
        return FIRST + Shadow.WORDS * variable < part.length;
    }

    /** Where the word is for writes of a variable with this index, which is where that for reads is. */
    static int written(long[] part, int index) {
        return part.length - 1 - 2 * variable(index);
    }

    /** Where the places in the code are of a variable with this index. */
    static int places(long[] part, int index) {
        return part.length - 2 - 2 * variable(index);
    }

    static int touches(long[] part, int index) {
        return FIRST + count(part) + 2 * variable(index);
    }

    static long offset(int index) {
        return 8 + 8L * variable(index);
    }

    static long reserve(long bytes) {
        return Memory.UNSAFE.getAndAddLong(next, Memory.LONGS, bytes + 7 & -8L);
    }

    /** Gives memory a name: the sequence number of that. Frames may be emitted before. */
    static long emitAllocate(ThreadState t, long address, long bytes, int row) {
        long sequence = Writer.takeSequence(t);
        Writer.emit(t, Writer.what(ALLOCATE, 0, address), Sites.pc(row));
        Writer.emit(t, Writer.what(LENGTH, 0, 0), bytes);
        Writer.publish(t);
        return sequence;
    }

    /** Its address, which it gets now if it has none; the thread comes after its name. */
    static long address(ThreadState t, long[] part) {
        long address = Memory.load(part, 0);
        if (address == 0)
            address = give(t, part);
        Writer.observe(t, Memory.load(part, 1) >>> ROW_BITS);
        return address;
    }

    @DontInline
    private static long give(ThreadState t, long[] part) {
        synchronized (part) {
            if (part[0] != 0)
                return part[0];
            int row = (int) part[1] & ((1 << ROW_BITS) - 1);
            long bytes = bytes(part);
            long address = Turns.ON ? reserved(part) : reserve(bytes);
            long sequence = emitAllocate(t, address, bytes, row);
            Memory.store(part, 1, row | sequence << ROW_BITS);
            Memory.store(part, 0, address);
            return address;
        }
    }

    private Parts() {}
}

/** The members in which objects of watched classes keep their parts. */
final class OwnParts {
    private static final ClassValue<long[]> offsets = new ClassValue<>() {
        @Override
        protected long[] computeValue(Class<?> type) {
            long[] found = new long[8];
            int count = 0;
            for (Class<?> at = type; at != null && at != Object.class; at = at.getSuperclass())
                for (Field field : at.getDeclaredFields())
                    if (field.isSynthetic() && field.getName().startsWith("$seriatim$")) {
                        if (count == found.length)
                            found = java.util.Arrays.copyOf(found, 2 * count);
                        found[count++] = Memory.UNSAFE.objectFieldOffset(field);
                    }
            return java.util.Arrays.copyOf(found, count);
        }
    };

    /** The part of the innermost class of an object that has one; null: none has. */
    static long[] partOf(Object object) {
        long[] all = offsets.get(object.getClass());
        return all.length == 0 ? null : (long[]) Memory.UNSAFE.getObject(object, all[0]);
    }

    /** The copy was made by clone(), so what it has is the original's. If not, that was emitted by a
     * clone() that this one has called. */
    static void separate(Object original, Object copy, ThreadState t, int site) {
        for (long offset : offsets.get(copy.getClass())) {
            long[] part = (long[]) Memory.UNSAFE.getObject(copy, offset);
            if (part == null || part != Memory.UNSAFE.getObject(original, offset))
                continue;
            int row = (int) part[1] & ((1 << Parts.ROW_BITS) - 1);
            int variables = Parts.count(part);
            for (int i = 0; i < variables; i++)
                Hooks.read(part, Parts.index(i), t, site);
            Memory.UNSAFE.putObject(copy, offset, Parts.make(row, variables));
        }
    }

    private OwnParts() {}
}
