package seriatim.control;

import static seriatim.control.ControlLayout.*;

import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import sun.misc.Unsafe;

/** The control area: a file that seriatim has mapped, too (src/stream/control.h). */
final class Area {
    static final Unsafe UNSAFE = find();
    private static MappedByteBuffer buffer; // as long as it is here it stays mapped
    private static long at;

    private static Unsafe find() {
        try {
            java.lang.reflect.Field field = Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return (Unsafe) field.get(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Maps it. Null, or why that cannot be. */
    static String open(String path) {
        try (FileChannel channel = FileChannel.open(
                Path.of(path), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            if (channel.size() < AREA_BYTES)
                return path + " is no control area";
            buffer = channel.map(FileChannel.MapMode.READ_WRITE, 0, AREA_BYTES);
            at = UNSAFE.getLong(buffer,
                    UNSAFE.objectFieldOffset(java.nio.Buffer.class.getDeclaredField("address")));
        } catch (Exception e) {
            return "cannot open the control area " + path + ": " + e;
        }
        if (number(AREA_MAGIC) != MAGIC || count(AREA_VERSION) != VERSION)
            return path + " is a control area of another version";
        return null;
    }

    /** Is this the process that is controlled? The first one is. */
    static boolean claim() {
        int process = seriatim.agent.ProcessId.get();
        if (UNSAFE.compareAndSwapInt(null, at + AREA_PROCESS, 0, process))
            return true;
        UNSAFE.getAndAddInt(null, at + AREA_OTHERS, 1);
        return false;
    }

    static long number(long offset) {
        return UNSAFE.getLong(at + offset);
    }

    static int count(long offset) {
        return UNSAFE.getInt(at + offset);
    }

    static int small(long offset) {
        return UNSAFE.getShort(at + offset) & 0xffff;
    }

    static void set(long offset, long value) {
        UNSAFE.putLong(at + offset, value);
    }

    static void setCount(long offset, int value) {
        UNSAFE.putInt(at + offset, value);
    }

    static void setSmall(long offset, int value) {
        UNSAFE.putShort(at + offset, (short) value);
    }

    static void setByte(long offset, int value) {
        UNSAFE.putByte(at + offset, (byte) value);
    }

    static void add(long offset, long more) {
        set(offset, number(offset) + more);
    }

    static void addCount(long offset, int more) {
        setCount(offset, count(offset) + more);
    }

    static boolean hasFlag(int flag) {
        return (count(PLAN_FLAGS) & flag) != 0;
    }

    // ---- names ----

    static long mix(long hash, long more) {
        hash = (hash ^ more) * 0x9e3779b97f4a7c15L;
        return hash ^ hash >>> 29;
    }

    static long site(String module, long offset) {
        long hash = 1;
        for (int i = 0; i < module.length(); i++)
            hash = mix(hash, module.charAt(i));
        return (hash & 0xffffff) << 40 | offset & (1L << 40) - 1;
    }

    /** Where a site is in a table, or the empty place where it belongs. */
    static long slot(long table, long site) {
        int slot = Integer.remainderUnsigned((int) mix(0, site), SITES);
        while (number(table + 8L * slot) != 0 && number(table + 8L * slot) != site)
            slot = (slot + 1) % SITES;
        return table + 8L * slot;
    }

    static long child(long parent, int child) {
        long name = mix(mix(2, parent), child + 1L);
        return Long.compareUnsigned(name, MAIN) > 0 ? name : name + 2;
    }

    private Area() {}
}
