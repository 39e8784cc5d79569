package seriatim.calls;

import static seriatim.control.ControlLayout.*;

import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import seriatim.library.MapCells.KeyLock;
import seriatim.library.MapCells;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

/** Concurrent maps: what one has for a key is a variable. Where functions of the program may be called
 * meanwhile, an operation is emitted when it is over. */
@Replaces({
    Map.class, SortedMap.class, NavigableMap.class, ConcurrentMap.class,
    ConcurrentNavigableMap.class, ConcurrentHashMap.class, ConcurrentSkipListMap.class
})
public final class MapCalls {
    @SuppressWarnings("unchecked")
    private static Map<Object, Object> of(Map<?, ?> map) {
        return (Map<Object, Object>) map;
    }

    /** Others are no means to wait for each other, or to share something. */
    private static void point(int kind, Map<?, ?> map, ThreadState t, int site) {
        if (map instanceof ConcurrentMap)
            Turns.point(kind, map, t, site);
    }

    public static Object get(Map<?, ?> map, Object key, ThreadState t, int site) {
        point(AT_ATOMIC_READ, map, t, site);
        long[] cell = MapCells.begin(map, key, t);
        int kind = MapCells.NOTHING;
        try {
            Object value = map.get(key);
            kind = MapCells.READ;
            return value;
        } finally {
            MapCells.end(cell, kind, map, key, t, site);
        }
    }

    public static boolean containsKey(Map<?, ?> map, Object key, ThreadState t, int site) {
        point(AT_ATOMIC_READ, map, t, site);
        long[] cell = MapCells.begin(map, key, t);
        int kind = MapCells.NOTHING;
        try {
            boolean there = map.containsKey(key);
            kind = MapCells.READ;
            return there;
        } finally {
            MapCells.end(cell, kind, map, key, t, site);
        }
    }

    public static Object getOrDefault(
            Map<?, ?> map, Object key, Object other, ThreadState t, int site) {
        point(AT_ATOMIC_READ, map, t, site);
        long[] cell = MapCells.begin(map, key, t);
        int kind = MapCells.NOTHING;
        try {
            Object value = of(map).getOrDefault(key, other);
            kind = MapCells.READ;
            return value;
        } finally {
            MapCells.end(cell, kind, map, key, t, site);
        }
    }

    public static Object put(Map<?, ?> map, Object key, Object value, ThreadState t, int site) {
        point(AT_ATOMIC_WRITE, map, t, site);
        long[] cell = MapCells.begin(map, key, t);
        int kind = MapCells.NOTHING;
        try {
            Object before = of(map).put(key, value);
            kind = MapCells.UPDATE;
            return before;
        } finally {
            MapCells.end(cell, kind, map, key, t, site);
        }
    }

    public static Object putIfAbsent(
            Map<?, ?> map, Object key, Object value, ThreadState t, int site) {
        point(AT_ATOMIC_WRITE, map, t, site);
        long[] cell = MapCells.begin(map, key, t);
        int kind = MapCells.NOTHING;
        try {
            Object before = of(map).putIfAbsent(key, value);
            kind = MapCells.updateIf(before == null);
            return before;
        } finally {
            MapCells.end(cell, kind, map, key, t, site);
        }
    }

    public static Object remove(Map<?, ?> map, Object key, ThreadState t, int site) {
        point(AT_ATOMIC_WRITE, map, t, site);
        long[] cell = MapCells.begin(map, key, t);
        int kind = MapCells.NOTHING;
        try {
            Object before = map.remove(key);
            kind = MapCells.updateIf(before != null);
            return before;
        } finally {
            MapCells.end(cell, kind, map, key, t, site);
        }
    }

    public static boolean remove(Map<?, ?> map, Object key, Object value, ThreadState t, int site) {
        point(AT_ATOMIC_WRITE, map, t, site);
        long[] cell = MapCells.begin(map, key, t);
        int kind = MapCells.NOTHING;
        try {
            boolean done = map.remove(key, value);
            kind = MapCells.updateIf(done);
            return done;
        } finally {
            MapCells.end(cell, kind, map, key, t, site);
        }
    }

    public static Object replace(Map<?, ?> map, Object key, Object value, ThreadState t, int site) {
        point(AT_ATOMIC_WRITE, map, t, site);
        long[] cell = MapCells.begin(map, key, t);
        int kind = MapCells.NOTHING;
        try {
            Object before = of(map).replace(key, value);
            kind = MapCells.updateIf(before != null);
            return before;
        } finally {
            MapCells.end(cell, kind, map, key, t, site);
        }
    }

    public static boolean replace(
            Map<?, ?> map, Object key, Object before, Object next, ThreadState t, int site) {
        point(AT_ATOMIC_WRITE, map, t, site);
        long[] cell = MapCells.begin(map, key, t);
        int kind = MapCells.NOTHING;
        try {
            boolean done = of(map).replace(key, before, next);
            kind = MapCells.updateIf(done);
            return done;
        } finally {
            MapCells.end(cell, kind, map, key, t, site);
        }
    }

    // ---- the program's functions are called ----

    public static Object computeIfAbsent(Map<?, ?> map, Object key, Function<Object, Object> with,
            ThreadState t, int site) {
        point(AT_ATOMIC_WRITE, map, t, site);
        boolean there = map.containsKey(key);
        Object value = of(map).computeIfAbsent(key, KeyLock.held(map, key, with, t, site));
        MapCells.emit(MapCells.updateIf(!there), map, key, t, site);
        return value;
    }

    public static Object computeIfPresent(Map<?, ?> map, Object key,
            BiFunction<Object, Object, Object> with, ThreadState t, int site) {
        point(AT_ATOMIC_WRITE, map, t, site);
        Object value = of(map).computeIfPresent(key, KeyLock.held(map, key, with, t, site));
        MapCells.emit(MapCells.UPDATE, map, key, t, site);
        return value;
    }

    public static Object compute(Map<?, ?> map, Object key,
            BiFunction<Object, Object, Object> with, ThreadState t, int site) {
        point(AT_ATOMIC_WRITE, map, t, site);
        Object value = of(map).compute(key, KeyLock.held(map, key, with, t, site));
        MapCells.emit(MapCells.UPDATE, map, key, t, site);
        return value;
    }

    public static Object merge(Map<?, ?> map, Object key, Object value,
            BiFunction<Object, Object, Object> with, ThreadState t, int site) {
        point(AT_ATOMIC_WRITE, map, t, site);
        Object result = of(map).merge(key, value, KeyLock.held(map, key, with, t, site));
        MapCells.emit(MapCells.UPDATE, map, key, t, site);
        return result;
    }

    // ---- all keys ----

    public static boolean isEmpty(Map<?, ?> map, ThreadState t, int site) {
        point(AT_ATOMIC_READ, map, t, site);
        boolean empty = map.isEmpty();
        MapCells.readAll(map, t, site);
        return empty;
    }

    public static int size(Map<?, ?> map, ThreadState t, int site) {
        point(AT_ATOMIC_READ, map, t, site);
        int size = map.size();
        MapCells.readAll(map, t, site);
        return size;
    }

    public static void forEach(
            Map<?, ?> map, BiConsumer<Object, Object> with, ThreadState t, int site) {
        point(AT_ATOMIC_READ, map, t, site);
        of(map).forEach(with == null || !(map instanceof ConcurrentMap) ? with : (key, value) -> {
            MapCells.emit(MapCells.READ, map, key, t, site);
            with.accept(key, value);
        });
    }

    public static void replaceAll(
            Map<?, ?> map, BiFunction<Object, Object, Object> with, ThreadState t, int site) {
        point(AT_ATOMIC_WRITE, map, t, site);
        of(map).replaceAll(with == null || !(map instanceof ConcurrentMap) ? with : (key, value) -> {
            Object next = with.apply(key, value);
            MapCells.emit(MapCells.UPDATE, map, key, t, site);
            return next;
        });
    }

    /** One after the other, as these maps do. */
    public static void putAll(Map<?, ?> map, Map<?, ?> more, ThreadState t, int site) {
        if (map instanceof ConcurrentHashMap || map instanceof ConcurrentSkipListMap)
            for (Map.Entry<?, ?> each : more.entrySet())
                put(map, each.getKey(), each.getValue(), t, site);
        else
            of(map).putAll(more);
    }

    public static void clear(Map<?, ?> map, ThreadState t, int site) {
        point(AT_ATOMIC_WRITE, map, t, site);
        MapCells.updateAll(map, t, site);
        map.clear();
    }

    private MapCalls() {}
}
