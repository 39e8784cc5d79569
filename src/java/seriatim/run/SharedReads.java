package seriatim.run;

import static seriatim.run.ThreadState.*;

import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * What a thread has read of variables that several threads read: each thread keeps that itself, part
 * by part (shadow.h has a table for it). Others look into it. When there is too much of it, all is
 * emitted and forgotten.
 */
final class SharedReads {
    private static final int FIRST_SIZE = 64, RECENT = 256;
    private static final long MOST_VARIABLES = 1 << 22;

    /** For each variable of a part: the word for writes when it was read, with one bit set that no
     * such word has (SEEN); the word for reads (MINE); the place in the code. */
    private static final class Entry {
        final long address;
        final long[] part, seen, mine; // apart, since most repetitions look at the second only
        final int[] sites;

        Entry(long[] part) {
            this.part = part;
            address = part[0];
            int count = Parts.count(part);
            seen = new long[count];
            mine = new long[count];
            sites = new int[count];
        }

        long seen(int i) {
            return seen[i];
        }

        long mine(int i) {
            return mine[i];
        }
    }

    private static final long THERE = 1;
    private final ThreadState t;
    private volatile Entry[] table;
    private int count;
    private long variables;

    /** Those that were used last, by a hash of their addresses. */
    private final Entry[] recent = new Entry[RECENT];

    SharedReads(ThreadState t) {
        this.t = t;
    }

    private static long key(long write) {
        return write & ~EMITTED | THERE;
    }

    private static int slotFor(long address, int size) {
        return (int) (address * 0x9E3779B97F4A7C15L >>> 40) & size - 1;
    }

    private static Entry find(Entry[] all, long address) {
        if (all == null)
            return null;
        for (int i = slotFor(address, all.length); all[i] != null; i = i + 1 & all.length - 1)
            if (all[i].address == address)
                return all[i];
        return null;
    }

    private static int recentAt(long address) {
        return (int) (address * 0x9E3779B97F4A7C15L >>> 56);
    }

    private Entry entryOf(long[] part) {
        int i = recentAt(part[0]);
        Entry entry = recent[i];
        return entry != null && entry.part == part ? entry : lookUp(part, i);
    }

    @DontInline
    private Entry lookUp(long[] part, int i) {
        Entry entry = find(table, part[0]);
        if (entry != null)
            recent[i] = entry;
        return entry;
    }

    private static void insert(Entry[] all, Entry entry) {
        int i = slotFor(entry.address, all.length);
        while (all[i] != null)
            i = i + 1 & all.length - 1;
        Memory.UNSAFE.storeFence();
        all[i] = entry;
    }

    @DontInline
    private Entry add(long[] part) {
        Entry entry = new Entry(part);
        variables += entry.sites.length + 8;
        if (variables > MOST_VARIABLES)
            flushAll();
        Entry[] all = table;
        if (all == null || 2 * ++count > all.length) {
            Entry[] larger = new Entry[all == null ? FIRST_SIZE : 2 * all.length];
            for (int i = 0; all != null && i < all.length; i++)
                if (all[i] != null)
                    insert(larger, all[i]);
            insert(larger, entry);
            table = larger;
        } else {
            insert(all, entry);
        }
        return recent[recentAt(entry.address)] = entry;
    }

    boolean has(long[] part, int index, long w) {
        Entry entry = entryOf(part);
        return entry != null && entry.seen(Parts.variable(index)) == key(w);
    }

    boolean hasSince(long[] part, int index, long w, long since) {
        Entry entry = entryOf(part);
        int i = Parts.variable(index);
        return entry != null && entry.seen(i) == key(w) && t.isSince(entry.mine(i), since);
    }

    // In a word for reads that is shared, the first slots have a bit of their own. Whoever has one has read
    // since the last write if it is set: so that write need not be looked at.

    private static final int OWN_BITS = READER_BITS / 2;

    static long bitOf(int slot) {
        int bit = slot < OWN_BITS ? slot : OWN_BITS + slot % (READER_BITS - OWN_BITS);
        return 1L << SHARED_AT + bit;
    }

    /** Does this word for reads say that the thread repeats one? If not, it may do so all the same. */
    @ForceInline
    boolean isRepeated(long[] part, int index, long r) {
        if (stateOf(r) != SHARED || (r & t.readerBit) == 0)
            return false;
        Entry entry = entryOf(part);
        return entry != null && t.isSince(entry.mine(Parts.variable(index)), t.since);
    }

    /** The same where nothing is special (t.own), and a read that is not repeated, but of what the thread
     * has read since the last write, is kept. The bit alone does not say that the thread has read it: its
     * slot may have been another one's. */
    @ForceInline
    boolean isReadAgain(long[] part, int index, long r, int site) {
        if (stateOf(r) != SHARED || (r & t.readerBit) == 0)
            return false;
        Entry entry = entryOf(part);
        int i = Parts.variable(index);
        if (entry == null || entry.mine(i) == 0)
            return false;
        if (!t.isSince(entry.mine(i), t.since)) {
            entry.sites[i] = site;
            Memory.store(entry.mine, i, t.current);
        }
        return true;
    }

    static long ownBitOf(int slot) {
        return slot < OWN_BITS ? bitOf(slot) : 0;
    }

    /** Has the thread seen what was written last? */
    boolean hasSeen(long[] part, int index, long w) {
        Entry entry = entryOf(part);
        return entry != null && entry.seen(Parts.variable(index)) == key(w);
    }

    /** The thread reads again what it has read: true if that is so, and this read is kept. */
    boolean repeat(long[] part, int index, long w, int site) {
        Entry entry = entryOf(part);
        int i = Parts.variable(index);
        if (entry == null || entry.seen(i) != key(w))
            return false;
        if (!t.isSince(entry.mine(i), t.since)) {
            entry.sites[i] = site;
            Memory.store(entry.mine, i, t.current);
        }
        return true;
    }

    void keep(long[] part, int index, long w, int site, boolean emitted) {
        Entry entry = entryOf(part);
        if (entry == null)
            entry = add(part);
        int i = Parts.variable(index);
        boolean same = entry.seen(i) == key(w);
        boolean whole = emitted
                && !(same && t.isOfNow(entry.mine(i)) && (entry.mine(i) & EMITTED) == 0);
        Memory.store(entry.seen, i, 0);
        entry.sites[i] = site;
        Memory.store(entry.mine, i, t.current | (whole ? EMITTED : 0));
        Memory.store(entry.seen, i, key(w));
    }

    /** Emits a read before it is forgotten. If the variable was written since, whoever did that has
     * emitted the read. */
    private void flush(Entry entry, int i) {
        long mine = entry.mine(i);
        int index = Parts.index(i);
        long w = Memory.load(entry.part, Parts.written(entry.part, index));
        if ((mine & EMITTED) != 0 || entry.seen(i) != key(w))
            return;
        long address = entry.address + Parts.offset(index);
        // Behind the read, the write would seem to come after it.
        Shadow.flushWrite(t, entry.part, index, address, w);
        Shadow.emitWord(t, false, address, mine, entry.sites[i], Looks.flag(w));
        Writer.publish(t);
    }

    void flushAll() {
        Entry[] all = table;
        for (int i = 0; Stream.deferring && all != null && i < all.length; i++)
            for (int k = 0; all[i] != null && k < all[i].sites.length; k++)
                if (all[i].seen(k) != 0)
                    flush(all[i], k);
        table = null;
        java.util.Arrays.fill(recent, null);
        count = 0;
        variables = 0;
    }

    private static void emitReader(ThreadState t, long[] part, int index, long w, int slot) {
        ThreadState reader = Slots.in(slot);
        Entry entry = reader == null ? null : find(reader.shared.table, part[0]);
        if (entry == null)
            return; // it flushed its table when it ended
        int i = Parts.variable(index);
        long seen = Memory.load(entry.seen, i), mine = Memory.load(entry.mine, i);
        int site = entry.sites[i];
        if (seen == key(w) && Memory.load(entry.seen, i) == seen
                && slotOf(mine) == slot)
            Shadow.emitWord(t, false, part[0] + Parts.offset(index), mine, site, Looks.flag(w));
    }

    @DontInline
    static void emitReaders(ThreadState t, long[] part, int index, long w, long r) {
        for (long readers = readersOf(r); readers != 0; readers &= readers - 1) {
            int slot = Long.numberOfTrailingZeros(readers);
            emitReader(t, part, index, w, slot);
            while (slot >= OWN_BITS && (slot += READER_BITS - OWN_BITS) < Slots.count())
                emitReader(t, part, index, w, slot);
        }
    }
}
