package seriatim.run;

import java.lang.reflect.Field;

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
