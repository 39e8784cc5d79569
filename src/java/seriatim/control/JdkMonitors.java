package seriatim.control;

import java.lang.reflect.Field;
import seriatim.run.Memory;

/**
 * Monitors that classes of the JDK enter in their own methods, which are not watched: those of Vector,
 * Hashtable, StringBuffer, and what Collections.synchronizedList and its like have made. Where threads
 * take turns, the scheduler must not let a thread call such a method while another one holds the
 * monitor, since it would wait unseen.
 */
public final class JdkMonitors {
    private static final String WRAPPER = "java.util.Collections$Synchronized";
    private static final long COLLECTION = mutex("Collection"), MAP = mutex("Map");

    private static long mutex(String kind) {
        try {
            Field field = Class.forName(WRAPPER + kind, false, null).getDeclaredField("mutex");
            return Memory.UNSAFE.objectFieldOffset(field);
        } catch (ReflectiveOperationException | RuntimeException e) {
            return -1; // then hunts are loose there
        }
    }

    /** The monitor that methods of the object enter; null: none that is known. */
    public static Object of(Object object) {
        if (object instanceof java.util.Vector || object instanceof java.util.Hashtable
                || object instanceof StringBuffer)
            return object;
        if (object == null || !object.getClass().getName().startsWith(WRAPPER))
            return null;
        long offset = object instanceof java.util.Map ? MAP : COLLECTION;
        return offset < 0 ? null : Memory.UNSAFE.getObject(object, offset);
    }

    private JdkMonitors() {}
}
