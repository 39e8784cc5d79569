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

    /** Of an object that was made by clone(): what it has is not its own. */
    static void separate(Object copy) {
        for (long offset : offsets.get(copy.getClass())) {
            long[] part = (long[]) Memory.UNSAFE.getObject(copy, offset);
            if (part == null)
                continue;
            int row = (int) part[1] & ((1 << Parts.ROW_BITS) - 1);
            int variables = (part.length - Parts.FIRST) / Shadow.WORDS;
            Memory.UNSAFE.putObject(copy, offset, Parts.make(row, variables));
        }
    }

    private OwnParts() {}
}
