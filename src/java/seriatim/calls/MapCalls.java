package seriatim.calls;

import static seriatim.control.ControlLayout.*;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import seriatim.run.MapCells;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

/** Concurrent maps: what one has for a key is a variable. The program's own functions may be called
 * meanwhile, so an operation is told when it is over. */
@Replaces({Map.class, ConcurrentMap.class, ConcurrentHashMap.class, ConcurrentSkipListMap.class})
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
        Object value = map.get(key);
        MapCells.read(map, key, t, site);
        return value;
    }

    public static boolean containsKey(Map<?, ?> map, Object key, ThreadState t, int site) {
        point(AT_ATOMIC_READ, map, t, site);
        boolean there = map.containsKey(key);
        MapCells.read(map, key, t, site);
        return there;
    }

    public static Object getOrDefault(
            Map<?, ?> map, Object key, Object other, ThreadState t, int site) {
        point(AT_ATOMIC_READ, map, t, site);
        Object value = of(map).getOrDefault(key, other);
        MapCells.read(map, key, t, site);
        return value;
    }

    public static Object put(Map<?, ?> map, Object key, Object value, ThreadState t, int site) {
        point(AT_ATOMIC_WRITE, map, t, site);
        Object before = of(map).put(key, value);
        MapCells.update(map, key, t, site);
        return before;
    }

    public static Object putIfAbsent(
            Map<?, ?> map, Object key, Object value, ThreadState t, int site) {
        point(AT_ATOMIC_WRITE, map, t, site);
        Object before = of(map).putIfAbsent(key, value);
        MapCells.updateIf(before == null, map, key, t, site);
        return before;
    }

    public static Object remove(Map<?, ?> map, Object key, ThreadState t, int site) {
        point(AT_ATOMIC_WRITE, map, t, site);
        Object before = map.remove(key);
        MapCells.updateIf(before != null, map, key, t, site);
        return before;
    }

    public static boolean remove(Map<?, ?> map, Object key, Object value, ThreadState t, int site) {
        point(AT_ATOMIC_WRITE, map, t, site);
        boolean done = map.remove(key, value);
        MapCells.updateIf(done, map, key, t, site);
        return done;
    }

    public static Object replace(Map<?, ?> map, Object key, Object value, ThreadState t, int site) {
        point(AT_ATOMIC_WRITE, map, t, site);
        Object before = of(map).replace(key, value);
        MapCells.updateIf(before != null, map, key, t, site);
        return before;
    }

    public static boolean replace(
            Map<?, ?> map, Object key, Object before, Object next, ThreadState t, int site) {
        point(AT_ATOMIC_WRITE, map, t, site);
        boolean done = of(map).replace(key, before, next);
        MapCells.updateIf(done, map, key, t, site);
        return done;
    }

    public static Object computeIfAbsent(Map<?, ?> map, Object key, Function<Object, Object> with,
            ThreadState t, int site) {
        point(AT_ATOMIC_WRITE, map, t, site);
        boolean there = map.containsKey(key);
        Object value = of(map).computeIfAbsent(key, with);
        MapCells.updateIf(!there, map, key, t, site);
        return value;
    }

    public static Object computeIfPresent(Map<?, ?> map, Object key,
            BiFunction<Object, Object, Object> with, ThreadState t, int site) {
        point(AT_ATOMIC_WRITE, map, t, site);
        Object value = of(map).computeIfPresent(key, with);
        MapCells.update(map, key, t, site);
        return value;
    }

    public static Object compute(Map<?, ?> map, Object key,
            BiFunction<Object, Object, Object> with, ThreadState t, int site) {
        point(AT_ATOMIC_WRITE, map, t, site);
        Object value = of(map).compute(key, with);
        MapCells.update(map, key, t, site);
        return value;
    }

    public static Object merge(Map<?, ?> map, Object key, Object value,
            BiFunction<Object, Object, Object> with, ThreadState t, int site) {
        point(AT_ATOMIC_WRITE, map, t, site);
        Object result = of(map).merge(key, value, with);
        MapCells.update(map, key, t, site);
        return result;
    }

    private MapCalls() {}
}
