package seriatim.run;

import static seriatim.run.StreamLayout.*;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Function;

/** What concurrent maps have for keys: a variable for each hash. */
public final class MapCells {
    private static final int HASHES = (int) (Objects.INDEXED / 8) - 2;
    public static final int NOTHING = -1, READ = ATOMIC_LOAD, UPDATE = ATOMIC_EXCHANGE;
    private static final int MOST = 256; // of a map that are emitted when all are read
    private static final SideTable<ConcurrentHashMap<Integer, long[]>> table = new SideTable<>();

    private static final long MAP = offset("map"), LAST = offset("lastReturned");

    private static long offset(String field) {
        try {
            return Memory.UNSAFE.objectFieldOffset(
                    Class.forName(ConcurrentHashMap.class.getName() + "$BaseIterator", false, null)
                            .getDeclaredField(field));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return -1;
        }
    }

    private static long[] find(ThreadState t, Map<?, ?> map, Object key) {
        ConcurrentHashMap<Integer, long[]> cells = table.find(map);
        if (cells == null)
            cells = table.add(map, new ConcurrentHashMap<>());
        int number = number(key);
        long[] part = cells.get(number);
        if (part != null)
            return part;
        long address = Objects.address(t, map);
        part = Parts.make(0, 1);
        part[0] = address + 8L * number;
        part[1] = t.sequence << Parts.ROW_BITS;
        long[] there = cells.putIfAbsent(number, part);
        return there != null ? there : part;
    }

    static int number(Object key) {
        int hash = key.hashCode() * 0x9E3779B1;
        return Integer.remainderUnsigned(hash ^ hash >>> 16, HASHES);
    }

    private static boolean isOurs(Map<?, ?> map, ThreadState t) {
        return map instanceof ConcurrentMap && !t.inside
                && map.getClass().getName().startsWith("java.util.");
    }

    /** What the thread sees of all keys. A large map would cost more than it is worth. */
    public static void readAll(Map<?, ?> map, ThreadState t, int site) {
        ConcurrentHashMap<Integer, long[]> cells = isOurs(map, t) ? table.find(map) : null;
        if (cells == null || cells.size() > MOST)
            return;
        for (long[] part : cells.values()) {
            Atomics.lock(t, part, Parts.FIRST);
            Atomics.done(t, part, Parts.FIRST, ATOMIC_LOAD, 0, 0, site);
        }
    }

    /** Of an iterator, when it has come to the next one: called by the JDK. */
    public static void iterated(Object iterator) {
        if (Stream.head == 0 || MAP < 0 || LAST < 0)
            return;
        Map.Entry<?, ?> last = (Map.Entry<?, ?>) Memory.UNSAFE.getObject(iterator, LAST);
        if (last != null)
            emitHere(READ, (Map<?, ?>) Memory.UNSAFE.getObject(iterator, MAP), last.getKey());
    }

    private static void emitHere(int kind, Map<?, ?> map, Object key) {
        ThreadState t = Stream.head == 0 ? null : ThreadState.known();
        if (t != null)
            emit(kind, map, key, t, t.site);
    }

    private static long[] cellOf(Map<?, ?> map, Object key, ThreadState t) {
        if (key == null || !isOurs(map, t))
            return null;
        t.inside = true;
        try {
            return find(t, map, key);
        } catch (RuntimeException e) {
            return null; // its hashCode() has thrown
        } finally {
            t.inside = false;
        }
    }

    /** Before an operation that calls no function of the program, as the key is of the JDK: until end()
     * no other one about the key is emitted. Null: it is emitted afterwards, or not at all. */
    public static long[] begin(Map<?, ?> map, Object key, ThreadState t) {
        boolean plain = map != null && map.getClass() == ConcurrentHashMap.class && key != null
                && (key instanceof Enum || key.getClass().getName().startsWith("java.lang."));
        long[] cell = plain ? cellOf(map, key, t) : null;
        if (cell != null)
            Atomics.lock(t, cell, Parts.FIRST);
        return cell;
    }

    public static void end(
            long[] cell, int kind, Map<?, ?> map, Object key, ThreadState t, int site) {
        if (cell == null)
            emit(kind, map, key, t, site);
        else if (kind == NOTHING)
            Atomics.unlock(cell, Parts.FIRST);
        else
            Atomics.done(t, cell, Parts.FIRST, kind, 0, 0, site);
    }

    public static int updateIf(boolean done) {
        return done ? UPDATE : READ;
    }

    public static void emit(int kind, Map<?, ?> map, Object key, ThreadState t, int site) {
        long[] cell = kind == NOTHING ? null : cellOf(map, key, t);
        if (cell == null)
            return;
        Atomics.lock(t, cell, Parts.FIRST);
        Atomics.done(t, cell, Parts.FIRST, kind, 0, 0, site);
    }

    /**
     * While a ConcurrentHashMap calls a function for a key (compute, merge and the like), no other one runs for
     * it: the function holds a lock. Keys with the same number (MapCells) share one; where two of them run at
     * the same time, only the first holds it.
     */
    public static final class KeyLock {
        private static final SideTable<ConcurrentHashMap<Integer, KeyLock>> table = new SideTable<>();
        private final AtomicBoolean held = new AtomicBoolean();

        private static KeyLock find(Map<?, ?> map, Object key, ThreadState t) {
            if (!(map instanceof ConcurrentHashMap) || key == null || t.inside)
                return null;
            t.inside = true;
            try {
                ConcurrentHashMap<Integer, KeyLock> locks = table.find(map);
                if (locks == null)
                    locks = table.add(map, new ConcurrentHashMap<>());
                return locks.computeIfAbsent(MapCells.number(key), number -> new KeyLock());
            } catch (RuntimeException e) {
                return null; // its hashCode() has thrown
            } finally {
                t.inside = false;
            }
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

        private KeyLock() {}
    }

    private MapCells() {}
}
