package seriatim.library;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import seriatim.run.Cells;
import seriatim.run.ThreadState;

/**
 * What one concurrent map has for its keys: a variable for each. Keys are the same if the map itself
 * would say so: by equals(), or by their order in a map that is sorted.
 *
 * <p>Keys of the JDK's own classes are kept. Others are not, since they may be large, or lead back to the
 * map: only as long as such a key lives can it be compared with another one. If it is gone, a key with
 * the same hash takes its place.
 */
final class KeyCells implements Cells.Holder {
    private static final int ALL = Cells.MOST;
    private static final int EXACT = ALL / 2; // so many keys; more of them share the other half

    static final class Cell {
        final long[] part;
        final MapCells.KeyLock lock = new MapCells.KeyLock();
        final Cell next; // with the same hash
        private final Object kept; // null: it is not
        private volatile WeakReference<Object> last; // if it is not kept

        private Cell(Object key, long[] part, Cell next) {
            this.part = part;
            this.next = next;
            kept = isKept(key) ? key : null;
            last = kept == null ? new WeakReference<>(key) : null;
        }
    }

    private final String name; // of the map's class
    private final Comparator<Object> order; // null: keys have none
    private final ConcurrentHashMap<Integer, Cell> hashed = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Integer, Cell> shared = new ConcurrentHashMap<>();
    private final ConcurrentSkipListMap<Object, Cell> sorted;
    private final AtomicInteger count = new AtomicInteger();

    @SuppressWarnings("unchecked")
    KeyCells(Object map) {
        name = map.getClass().getTypeName();
        if (map instanceof SortedMap) {
            Comparator<Object> own = ((SortedMap<Object, ?>) map).comparator();
            order = own != null ? own : (x, y) -> ((Comparable<Object>) x).compareTo(y);
            sorted = new ConcurrentSkipListMap<>(order);
        } else {
            order = null;
            sorted = null;
        }
    }

    static boolean isKept(Object key) {
        String type = key.getClass().getName();
        return key instanceof Enum || type.startsWith("java.lang.") || type.startsWith("java.math.")
                || type.startsWith("java.time.") || type.equals("java.util.UUID");
    }

    private boolean isSame(Object key, Object other) {
        return key == other || (order != null ? order.compare(key, other) == 0 : key.equals(other));
    }

    /** The cell of a key. It may call functions of the program. */
    Cell find(ThreadState t, Object map, Object key) {
        if (sorted != null && isKept(key)) {
            Cell there = sorted.get(key);
            if (there != null)
                return there;
            return isFull() ? shared(t, map, key)
                            : sorted.computeIfAbsent(key, k -> make(t, map, k, null));
        }
        int hash = key.hashCode();
        for (;;) {
            Cell first = hashed.get(hash), there = among(first, key);
            if (there != null)
                return there;
            if (isFull())
                return shared(t, map, key);
            Cell more = make(t, map, key, first);
            if (first == null ? hashed.putIfAbsent(hash, more) == null
                              : hashed.replace(hash, first, more))
                return more;
        }
    }

    private boolean isFull() {
        return count.get() >= EXACT;
    }

    private Cell shared(ThreadState t, Object map, Object key) {
        int number = Integer.remainderUnsigned(key.hashCode() * 0x9E3779B1, ALL - EXACT);
        return shared.computeIfAbsent(
                number, n -> new Cell(key, part(t, map, EXACT + n), null));
    }

    private Cell make(ThreadState t, Object map, Object key, Cell next) {
        return new Cell(key, part(t, map, Math.min(count.getAndIncrement(), EXACT)), next);
    }

    /** The variables of a class that the program made of the JDK's are not behind its own fields. */
    private long[] part(ThreadState t, Object map, int number) {
        return Cells.variable(name.startsWith("java.util.") ? map : this, number, t);
    }

    @Override
    public String name() {
        return name;
    }

    private Cell among(Cell first, Object key) {
        Cell gone = null;
        for (Cell cell = first; cell != null; cell = cell.next) {
            Object own = cell.kept != null ? cell.kept : cell.last.get();
            if (own == null)
                gone = cell;
            else if (isSame(key, own))
                return cell;
        }
        if (gone != null)
            gone.last = new WeakReference<>(key);
        return gone;
    }

    /** All of them, unless there are more than so many. */
    List<Cell> all(int most) {
        if (count.get() > most)
            return List.of();
        List<Cell> all = new ArrayList<>();
        for (Cell first : hashed.values())
            for (Cell cell = first; cell != null; cell = cell.next)
                all.add(cell);
        if (sorted != null)
            all.addAll(sorted.values());
        return all;
    }
}
