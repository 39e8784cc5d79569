package seriatim.run;

import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import jdk.internal.vm.annotation.ForceInline;
import sun.misc.Unsafe;

/** Memory outside of the heap, and words in arrays, with the orders that the stream asks for. */
public final class Memory {
    public static final Unsafe UNSAFE = find();
    static final long LONGS = Unsafe.ARRAY_LONG_BASE_OFFSET;

    private static Unsafe find() {
        try {
            java.lang.reflect.Field field = Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return (Unsafe) field.get(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A file, mapped in segments: Java maps at most 2 GB at once. */
    static final class Mapped {
        static final int SEGMENT_BITS = 30;
        final long bytes;
        final long[] addresses;
        private final MappedByteBuffer[] buffers; // as long as they are here they stay mapped

        Mapped(String path) throws Exception {
            try (FileChannel channel =
                    FileChannel.open(
                            Path.of(path), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                bytes = channel.size();
                int count = (int) ((bytes + (1L << SEGMENT_BITS) - 1) >> SEGMENT_BITS);
                buffers = new MappedByteBuffer[count];
                addresses = new long[count];
                long field =
                        UNSAFE.objectFieldOffset(
                                java.nio.Buffer.class.getDeclaredField("address"));
                for (int i = 0; i < count; i++) {
                    long at = (long) i << SEGMENT_BITS;
                    long size = Math.min(1L << SEGMENT_BITS, bytes - at);
                    buffers[i] = channel.map(FileChannel.MapMode.READ_WRITE, at, size);
                    addresses[i] = UNSAFE.getLong(buffers[i], field);
                }
            }
        }

        long address(long offset) {
            return addresses[(int) (offset >> SEGMENT_BITS)]
                    + (offset & ((1L << SEGMENT_BITS) - 1));
        }
    }

    /** A word that is known to be there. What is compiled into each access of a program is shorter
     * without the check whether it is. */
    @ForceInline
    static long there(long[] words, int index) {
        return UNSAFE.getLong(words, LONGS + 8L * index);
    }

    static long load(long[] words, int index) {
        return UNSAFE.getLongVolatile(words, LONGS + 8L * index);
    }

    static void store(long[] words, int index, long value) {
        UNSAFE.putOrderedLong(words, LONGS + 8L * index, value);
    }

    /** Processors on which others see stores in their order. */
    private static final boolean IN_ORDER = isInOrder(System.getProperty("os.arch"));

    private static boolean isInOrder(String processor) {
        return processor.equals("amd64") || processor.equals("x86_64") || processor.equals("x86");
    }

    /** The same as store(), where a compiler has nothing to move: what has to be seen before is behind a
     * fence, or behind a call that is never compiled into this. */
    @ForceInline
    static void keep(long[] words, int index, long value) {
        if (IN_ORDER)
            words[index] = value;
        else
            store(words, index, value);
    }

    static boolean swap(long[] words, int index, long before, long then) {
        return UNSAFE.compareAndSwapLong(words, LONGS + 8L * index, before, then);
    }

    /** Store with release order: on this machine, one after a fence for stores. */
    static void storeLong(long address, long value) {
        UNSAFE.putOrderedLong(null, address, value);
    }

    static void storeInt(long address, int value) {
        UNSAFE.putOrderedInt(null, address, value);
    }

    private Memory() {}
}
