package seriatim.run;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * While a ConcurrentHashMap calls a function for a key (compute, merge and the like), no other one runs for
 * it: the function holds a lock. Keys with the same number (MapCells) share one; where two of them run at
 * the same time, only the first holds it.
 */
public final class KeyLock {
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
