package seriatim.run;

import java.lang.reflect.Array;

/** Parts of arrays, and of objects of JDK classes whose fields are watched. */
final class Arrays {
    /** Larger ones are not watched: three words for each element would be too much. */
    static final int LARGEST = 1 << 22;

    /** The parts that a thread has used last, by the place in the code that used them, and by the
     * hashes of their arrays. */
    static final class Cache {
        static final int SIZE = 64, HASHED = 1024;
        final Object[] keys = new Object[SIZE];
        final long[][] parts = new long[SIZE][];
        final Object[] hashedKeys = new Object[HASHED];
        final long[][] hashedParts = new long[HASHED][];
    }

    static boolean coarse;
    private static final long[] NONE = new long[0];
    private static final SideTable<long[]> table = new SideTable<>();

    private static long[] find(Object array) {
        long[] part = table.find(array);
        if (part != null)
            return part;
        int length = Array.getLength(array);
        if (length > LARGEST)
            return NONE;
        int row = Sites.named("A", array.getClass().getTypeName() + (coarse ? "\tcoarse" : ""));
        return table.add(array, Parts.make(row, coarse ? 1 : length));
    }

    /** The part, or one of length 0 if it has none. */
    static long[] part(ThreadState t, Object array, int site) {
        Cache cache = t.arrays;
        int i = site & Cache.SIZE - 1;
        if (cache.keys[i] == array)
            return cache.parts[i];
        return lookUp(t, array, i);
    }

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
