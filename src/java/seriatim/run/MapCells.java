package seriatim.run;

import static seriatim.run.StreamLayout.*;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** What concurrent maps have for keys: a variable for each hash. */
public final class MapCells {
    private static final int HASHES = (int) (Objects.INDEXED / 8) - 2;
    private static final SideTable<ConcurrentHashMap<Integer, long[]>> table = new SideTable<>();

    private static long[] find(ThreadState t, Map<?, ?> map, Object key) {
        ConcurrentHashMap<Integer, long[]> cells = table.find(map);
        if (cells == null)
            cells = table.add(map, new ConcurrentHashMap<>());
        int hash = key.hashCode() * 0x9E3779B1;
        int number = Integer.remainderUnsigned(hash ^ hash >>> 16, HASHES);
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

    private static void tell(int kind, Map<?, ?> map, Object key, ThreadState t, int site) {
        if (!(map instanceof ConcurrentMap) || key == null || t.inside
                || !map.getClass().getName().startsWith("java.util."))
            return;
        t.inside = true;
        long[] part;
        try {
            part = find(t, map, key);
        } catch (RuntimeException e) {
            return; // its hashCode() has thrown
        } finally {
            t.inside = false;
        }
        Atomics.lock(t, part, Parts.FIRST);
        Atomics.done(t, part, Parts.FIRST, kind, 0, 0, site);
    }

    public static void read(Map<?, ?> map, Object key, ThreadState t, int site) {
        tell(ATOMIC_LOAD, map, key, t, site);
    }

    public static void update(Map<?, ?> map, Object key, ThreadState t, int site) {
        tell(ATOMIC_EXCHANGE, map, key, t, site);
    }

    public static void updateIf(boolean done, Map<?, ?> map, Object key, ThreadState t, int site) {
        tell(done ? ATOMIC_EXCHANGE : ATOMIC_LOAD, map, key, t, site);
    }

    private MapCells() {}
}
