package seriatim.run;

import static seriatim.run.StreamLayout.*;

import jdk.internal.vm.annotation.DontInline;

/**
 * Methods that access one variable, and do nothing else. Such a block cannot be violated: what leaves
 * it does so from its one access, and nothing comes to it after that. So it is no frame, and its access
 * counts as one of its caller. Reports have it all the same: a deferred access is kept with a place
 * that stands for two, that of the access and that of the call.
 */
final class OneAccess {
    /** Smaller numbers of places are rows. */
    private static final int FIRST = 1 << 28;

    private static final int CACHED = 256;

    private static final class Table {
        final long[] calls; // as in Frames.java
        final int[] sites; // of the accesses

        Table(int size) {
            calls = new long[size];
            sites = new int[size];
        }

        Table copyOf(int size) {
            Table copy = new Table(size);
            System.arraycopy(calls, 0, copy.calls, 0, calls.length);
            System.arraycopy(sites, 0, copy.sites, 0, sites.length);
            return copy;
        }
    }

    private static volatile Table table = new Table(64);
    private static final java.util.HashMap<Long, Integer> numbers = new java.util.HashMap<>();

    // Of a thread: those that it has used last.
    private final long[] keys = new long[CACHED];
    private final int[] places = new int[CACHED];

    /** What stands for an access at `site` in a method that was called from where the thread is. */
    int place(int from, int site, int method) {
        long key = (long) from << 32 | site;
        int i = from * 31 + site & CACHED - 1;
        if (keys[i] != key) {
            places[i] = find(key, (long) method << 32 | from, site);
            keys[i] = key;
        }
        return places[i];
    }

    @DontInline
    private static int find(long key, long call, int site) {
        synchronized (numbers) {
            Integer there = numbers.get(key);
            if (there != null)
                return there;
            int i = numbers.size();
            if (i >= FIRST)
                return site;
            Table all = table;
            if (i == all.sites.length)
                all = all.copyOf(2 * i);
            all.calls[i] = call;
            all.sites[i] = site;
            table = all;
            numbers.put(key, FIRST + i);
            return FIRST + i;
        }
    }

    /** The place of the access itself. */
    static int siteOf(int place) {
        return place < FIRST ? place : table.sites[place - FIRST];
    }

    /** t emits next an access that was made at that place. */
    static void emitWithin(ThreadState t, int place) {
        if (place < FIRST)
            return;
        Frames.putWithin(t, table.calls[place - FIRST]);
    }
}
