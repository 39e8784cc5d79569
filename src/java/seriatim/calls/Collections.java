package seriatim.calls;

import static seriatim.control.ControlLayout.*;

import java.util.Collection;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Queue;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import seriatim.library.MapCells;
import seriatim.library.Views;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

/** Sets that are made of concurrent maps: whether one has an element is a variable. Queues may be called
 * in this way, too; for others, nothing is emitted here. */
@Replaces({
    Collection.class, Set.class, SortedSet.class, NavigableSet.class,
    ConcurrentSkipListSet.class, ConcurrentHashMap.KeySetView.class
})
public final class Collections {
    @SuppressWarnings("unchecked")
    private static Collection<Object> of(Collection<?> all) {
        return (Collection<Object>) all;
    }

    /** The map of a set; null: it is no such set. */
    private static Map<?, ?> mapOf(
            int kind, Collection<?> all, ThreadState t, int site) {
        t.site = site; // changed methods of the JDK may need it
        Map<?, ?> map = Views.mapOf(all);
        if (map != null)
            Turns.point(kind, map, t, site);
        return map;
    }

    public static boolean add(Collection<?> all, Object item, ThreadState t, int site) {
        if (all instanceof Queue)
            return Queues.add((Queue<?>) all, item, t, site);
        Map<?, ?> map = mapOf(AT_ATOMIC_WRITE, all, t, site);
        if (map == null)
            return of(all).add(item);
        long[] cell = MapCells.begin(map, item, t);
        int kind = MapCells.NOTHING;
        try {
            boolean done = of(all).add(item);
            kind = MapCells.updateIf(done);
            return done;
        } finally {
            MapCells.end(cell, kind, map, item, t, site);
        }
    }

    public static boolean remove(Collection<?> all, Object item, ThreadState t, int site) {
        if (all instanceof Queue)
            return Queues.remove((Queue<?>) all, item, t, site);
        Map<?, ?> map = mapOf(AT_ATOMIC_WRITE, all, t, site);
        if (map == null)
            return all.remove(item);
        long[] cell = MapCells.begin(map, item, t);
        int kind = MapCells.NOTHING;
        try {
            boolean done = all.remove(item);
            kind = MapCells.updateIf(done);
            return done;
        } finally {
            MapCells.end(cell, kind, map, item, t, site);
        }
    }

    public static boolean contains(Collection<?> all, Object item, ThreadState t, int site) {
        if (all instanceof Queue)
            return Queues.contains((Queue<?>) all, item, t, site);
        Map<?, ?> map = mapOf(AT_ATOMIC_READ, all, t, site);
        if (map == null)
            return all.contains(item);
        long[] cell = MapCells.begin(map, item, t);
        int kind = MapCells.NOTHING;
        try {
            boolean there = all.contains(item);
            kind = MapCells.READ;
            return there;
        } finally {
            MapCells.end(cell, kind, map, item, t, site);
        }
    }

    /** One after the other, as these sets do. */
    public static boolean addAll(Collection<?> all, Collection<?> items, ThreadState t, int site) {
        if (all instanceof Queue)
            return Queues.addAll((Queue<?>) all, items, t, site);
        if (mapOf(AT_ATOMIC_WRITE, all, t, site) == null)
            return of(all).addAll(items);
        boolean changed = false;
        for (Object item : items)
            changed |= add(all, item, t, site);
        return changed;
    }

    public static boolean isEmpty(Collection<?> all, ThreadState t, int site) {
        if (all instanceof Queue)
            return Queues.isEmpty((Queue<?>) all, t, site);
        Map<?, ?> map = mapOf(AT_ATOMIC_READ, all, t, site);
        boolean empty = all.isEmpty();
        if (map != null)
            MapCells.readAll(map, t, site);
        return empty;
    }

    public static int size(Collection<?> all, ThreadState t, int site) {
        if (all instanceof Queue)
            return Queues.size((Queue<?>) all, t, site);
        Map<?, ?> map = mapOf(AT_ATOMIC_READ, all, t, site);
        int size = all.size();
        if (map != null)
            MapCells.readAll(map, t, site);
        return size;
    }

    public static Object[] toArray(Collection<?> all, ThreadState t, int site) {
        return all instanceof Queue ? Queues.toArray((Queue<?>) all, t, site) : all.toArray();
    }

    public static Object[] toArray(Collection<?> all, Object[] into, ThreadState t, int site) {
        return all instanceof Queue ? Queues.toArray((Queue<?>) all, into, t, site)
                                    : all.toArray(into);
    }

    public static Stream<?> stream(Collection<?> all, ThreadState t, int site) {
        return all instanceof Queue ? Queues.stream((Queue<?>) all, t, site) : all.stream();
    }

    public static boolean removeIf(
            Collection<?> all, Predicate<Object> wanted, ThreadState t, int site) {
        return all instanceof Queue ? Queues.removeIf((Queue<?>) all, wanted, t, site)
                                    : of(all).removeIf(wanted);
    }

    public static void clear(Collection<?> all, ThreadState t, int site) {
        if (all instanceof Queue) {
            Queues.clear((Queue<?>) all, t, site);
            return;
        }
        Map<?, ?> map = mapOf(AT_ATOMIC_WRITE, all, t, site);
        if (map != null)
            MapCells.updateAll(map, t, site);
        all.clear();
    }

    private Collections() {}
}
