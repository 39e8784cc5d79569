package seriatim.library;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Function;
import seriatim.run.Cells;
import seriatim.run.Memory;
import seriatim.run.SideTable;
import seriatim.run.Stream;
import seriatim.run.Sync;
import seriatim.run.ThreadState;

/** What concurrent maps have for keys (KeyCells.java). */
public final class MapCells {
    public static final int NOTHING = -1, READ = Cells.LOAD, UPDATE = Cells.EXCHANGE;
    private static final int MOST = 256; // of a map that are emitted when all are read
    private static final SideTable<KeyCells> table = new SideTable<>();

    private static final String HASHED = ConcurrentHashMap.class.getName() + "$";
    private static final String LIST = ConcurrentSkipListMap.class.getName() + "$";
    private static final long MAP = offset(HASHED + "BaseIterator", "map");
    private static final long LAST = offset(HASHED + "BaseIterator", "lastReturned");
    private static final long SORTED = offset(LIST + "Iter", "this$0");
    private static final long LAST_SORTED = offset(LIST + "Iter", "lastReturned");
    private static final long KEY = offset(LIST + "Node", "key");

    private static long offset(String type, String field) {
        try {
            return Memory.UNSAFE.objectFieldOffset(
                    Class.forName(type, false, null).getDeclaredField(field));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return -1;
        }
    }

    private static KeyCells.Cell find(ThreadState t, Map<?, ?> map, Object key) {
        KeyCells cells = table.find(map);
        if (cells == null)
            cells = table.add(map, new KeyCells(map));
        return cells.find(t, map, key);
    }

    private static boolean isOurs(Map<?, ?> map, ThreadState t) {
        return map instanceof ConcurrentMap && !t.inside
                && (map instanceof ConcurrentHashMap || map instanceof ConcurrentSkipListMap
                        || map.getClass().getName().startsWith("java.util."));
    }

    /** What the thread does with all keys. A large map would cost more than it is worth. */
    private static void emitAll(int kind, Map<?, ?> map, ThreadState t, int site) {
        KeyCells cells = isOurs(map, t) ? table.find(Views.base(map)) : null;
        if (cells == null)
            return;
        for (KeyCells.Cell cell : cells.all(MOST)) {
            Cells.lock(cell.part, t);
            Cells.emit(kind, cell.part, t, site);
        }
    }

    public static void readAll(Map<?, ?> map, ThreadState t, int site) {
        emitAll(READ, map, t, site);
    }

    public static void updateAll(Map<?, ?> map, ThreadState t, int site) {
        emitAll(UPDATE, map, t, site);
    }

    /** Of an iterator, when it has come to the next one: called by the JDK. */
    public static void iterated(Object iterator) {
        if (Stream.head == 0 || MAP < 0 || LAST < 0)
            return;
        Map.Entry<?, ?> last = (Map.Entry<?, ?>) Memory.UNSAFE.getObject(iterator, LAST);
        if (last != null)
            emitHere(READ, (Map<?, ?>) Memory.UNSAFE.getObject(iterator, MAP), last.getKey());
    }

    /** The same in a map that is sorted. */
    public static void iteratedInOrder(Object iterator) {
        if (Stream.head == 0 || SORTED < 0 || LAST_SORTED < 0 || KEY < 0)
            return;
        Object last = Memory.UNSAFE.getObject(iterator, LAST_SORTED);
        if (last != null)
            emitHere(READ, (Map<?, ?>) Memory.UNSAFE.getObject(iterator, SORTED),
                    Memory.UNSAFE.getObject(last, KEY));
    }

    private static void emitHere(int kind, Map<?, ?> map, Object key) {
        ThreadState t = Stream.head == 0 ? null : ThreadState.known();
        if (t != null)
            emit(kind, map, key, t, t.site);
    }

    private static KeyCells.Cell cellOf(Map<?, ?> map, Object key, ThreadState t) {
        if (key == null || !isOurs(map, t))
            return null;
        t.inside = true;
        try {
            return find(t, Views.base(map), key);
        } catch (RuntimeException e) {
            return null; // its hashCode() has thrown, or the like
        } finally {
            t.inside = false;
        }
    }

    /** Before an operation that calls no function of the program, as keys and their order are of the
     * JDK: until end() no other one about the key is emitted. Null: it is emitted afterwards, or not at
     * all. */
    public static long[] begin(Map<?, ?> map, Object key, ThreadState t) {
        boolean plain = key != null && callsNothing(map)
                && (KeyCells.isKept(key)
                        || map instanceof ConcurrentHashMap && IDENTITY.get(key.getClass()));
        KeyCells.Cell cell = plain ? cellOf(map, key, t) : null;
        if (cell == null)
            return null;
        Cells.lock(cell.part, t);
        return cell.part;
    }

    /** Classes whose objects are equal to themselves only, as Object says. */
    private static final ClassValue<Boolean> IDENTITY = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            try {
                return !Comparable.class.isAssignableFrom(type)
                        && type.getMethod("hashCode").getDeclaringClass() == Object.class
                        && type.getMethod("equals", Object.class).getDeclaringClass() == Object.class;
            } catch (ReflectiveOperationException | LinkageError e) {
                return false;
            }
        }
    };

    private static boolean callsNothing(Map<?, ?> map) {
        if (map == null || map.getClass() == ConcurrentHashMap.class)
            return map != null;
        return map.getClass() == ConcurrentSkipListMap.class
                && ((ConcurrentSkipListMap<?, ?>) map).comparator() == null;
    }

    public static void end(
            long[] cell, int kind, Map<?, ?> map, Object key, ThreadState t, int site) {
        if (cell == null)
            emit(kind, map, key, t, site);
        else if (kind == NOTHING)
            Cells.unlock(cell);
        else
            Cells.emit(kind, cell, t, site);
    }

    public static int updateIf(boolean done) {
        return done ? UPDATE : READ;
    }

    public static void emit(int kind, Map<?, ?> map, Object key, ThreadState t, int site) {
        KeyCells.Cell cell = kind == NOTHING ? null : cellOf(map, key, t);
        if (cell == null)
            return;
        Cells.lock(cell.part, t);
        Cells.emit(kind, cell.part, t, site);
    }

    /**
     * While a ConcurrentHashMap calls a function for a key (compute, merge and the like), no other one runs for
     * it: the function holds a lock. Where keys share one (KeyCells) and two functions run at the same
     * time, only the first holds it.
     */
    public static final class KeyLock implements Cells.Holder {
        private final AtomicBoolean held = new AtomicBoolean();

        private static KeyLock find(Map<?, ?> map, Object key, ThreadState t) {
            KeyCells.Cell cell = map instanceof ConcurrentHashMap ? cellOf(map, key, t) : null;
            return cell == null ? null : cell.lock;
        }

        @Override
        public String name() {
            return "key of ConcurrentHashMap";
        }

        private boolean take(ThreadState t, int site) {
            if (!held.compareAndSet(false, true))
                return false;
            Sync.acquire(t, this, Sync.MUTEX, site);
            return true;
        }

        private void leave(boolean taken, ThreadState t, int site) {
            if (!taken)
                return;
            Sync.release(t, this, Sync.MUTEX, site);
            held.set(false);
        }

        public static BiFunction<Object, Object, Object> held(Map<?, ?> map, Object key,
                BiFunction<Object, Object, Object> with, ThreadState t, int site) {
            KeyLock lock = with == null ? null : find(map, key, t);
            if (lock == null)
                return with;
            return (own, value) -> {
                boolean taken = lock.take(t, site);
                try {
                    return with.apply(own, value);
                } finally {
                    lock.leave(taken, t, site);
                }
            };
        }

        public static Function<Object, Object> held(Map<?, ?> map, Object key,
                Function<Object, Object> with, ThreadState t, int site) {
            KeyLock lock = with == null ? null : find(map, key, t);
            if (lock == null)
                return with;
            return own -> {
                boolean taken = lock.take(t, site);
                try {
                    return with.apply(own);
                } finally {
                    lock.leave(taken, t, site);
                }
            };
        }

        KeyLock() {}
    }

    private MapCells() {}
}
