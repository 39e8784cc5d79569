package seriatim.run;

import java.lang.reflect.Array;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/** Parts of arrays, and of objects of JDK classes whose fields are watched. */
public final class Arrays {
    /** Larger ones are not watched: three words for each element would be too much. */
    static final int LARGEST = 1 << 22;

    /** The parts that a thread has used last, by the instruction that used them, and by the hashes of
     * their arrays. A line of code often has several arrays, so its number is not enough. */
    static final class Cache {
        static final int SIZE = 512, HASHED = 1024;
        final Object[] keys = new Object[SIZE];
        final long[][] parts = new long[SIZE][];
        final Object[] hashedKeys = new Object[HASHED];
        final long[][] hashedParts = new long[HASHED][];
    }

    static final boolean COARSE = Settings.coarseArrays; // which are read before this class is
    private static final AtomicInteger places = new AtomicInteger();

    /** A number for an instruction that accesses elements. */
    public static int newPlace() {
        return places.getAndIncrement() & Cache.SIZE - 1;
    }

    private static final long[] NONE = new long[0];
    private static final SideTable<long[]> table = new SideTable<>();

    /** The rows of their types. */
    private static final ClassValue<Integer> rows = new ClassValue<Integer>() {
        @Override
        protected Integer computeValue(Class<?> type) {
            return Sites.named("A", type.getTypeName() + (COARSE ? "\tcoarse" : ""));
        }
    };

    @DontInline
    private static long[] find(Object array) {
        long[] part = table.find(array);
        return part != null ? part : make(array);
    }

    @DontInline
    private static long[] make(Object array) {
        int length = Array.getLength(array);
        if (length > LARGEST)
            return NONE;
        return table.add(array, Parts.make(rows.get(array.getClass()), COARSE ? 1 : length));
    }

    /** The part, or one of length 0 if it has none. */
    @ForceInline
    static long[] part(ThreadState t, Object array, int place) {
        Cache cache = t.arrays;
        int i = place & Cache.SIZE - 1;
        if (cache.keys[i] == array)
            return cache.parts[i];
        return lookUp(t, array, i);
    }

    @DontInline
    private static long[] lookUp(ThreadState t, Object array, int i) {
        Cache cache = t.arrays;
        int hashed = System.identityHashCode(array) & Cache.HASHED - 1;
        if (cache.hashedKeys[hashed] != array) {
            if (t.inside)
                return NONE;
            t.inside = true;
            try {
                cache.hashedParts[hashed] = find(array);
                cache.hashedKeys[hashed] = array;
            } finally {
                t.inside = false;
            }
        }
        cache.keys[i] = array;
        return cache.parts[i] = cache.hashedParts[hashed];
    }

    private Arrays() {}
}
