package seriatim.library;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import seriatim.run.Memory;

/** Sets that are made of concurrent maps, and parts of such maps: the map behind them. */
public final class Views {
    private static final String SKIP_LIST = "java.util.concurrent.ConcurrentSkipList";
    private static final Class<?>[] types = {type(SKIP_LIST + "Set"), type(SKIP_LIST + "Map$KeySet"),
        type("java.util.Collections$SetFromMap"), type(SKIP_LIST + "Map$SubMap")};
    private static final long[] offsets = new long[types.length];

    static {
        for (int i = 0; i < types.length; i++)
            offsets[i] = offset(types[i], "m");
    }

    private static Class<?> type(String name) {
        try {
            return Class.forName(name, false, null);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    private static long offset(Class<?> type, String field) {
        try {
            return type == null ? -1 : Memory.UNSAFE.objectFieldOffset(type.getDeclaredField(field));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return -1;
        }
    }

    private static Map<?, ?> inside(Object view) {
        for (int i = 0; i < types.length; i++)
            if (offsets[i] >= 0 && types[i].isInstance(view))
                return (Map<?, ?>) Memory.UNSAFE.getObject(view, offsets[i]);
        return null;
    }

    /** The map whose keys a set has; null: it is no such set. */
    public static Map<?, ?> mapOf(Collection<?> set) {
        if (set instanceof ConcurrentHashMap.KeySetView)
            return ((ConcurrentHashMap.KeySetView<?, ?>) set).getMap();
        return inside(set);
    }

    /** The whole of which a map is a part, or the map itself. */
    static Map<?, ?> base(Map<?, ?> map) {
        if (map instanceof ConcurrentHashMap)
            return map;
        Map<?, ?> whole = inside(map);
        return whole == null ? map : whole;
    }

    private Views() {}
}
