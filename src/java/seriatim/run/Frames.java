package seriatim.run;

import static seriatim.run.Memory.UNSAFE;
import static seriatim.run.StreamLayout.*;

import java.util.Arrays;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * The methods and annotated blocks that a thread has open (call_stack.h). They are emitted when the
 * first event in them is; methods in which nothing but deferred accesses happened are boarded.
 */
final class Frames {
    private final ThreadState t;

    /** Row of the method; or, below zero, the id of the text that names a block. */
    int[] functions = new int[64];

    int[] calledFrom = new int[64];

    /** Of the blocks that these are, for threads that take turns; 0: it has none yet. */
    int[] numbers = new int[64];

    long[] begun = new long[64], alikeBefore = new long[64];
    int depth, emitted, boarded;

    /** Where a method is counted, by its row: offset plus 1 of its counter; 0 not known yet. */
    private int[] counters = new int[0];

    Frames(ThreadState t) {
        this.t = t;
    }

    @DontInline
    private void grow() {
        int size = 2 * functions.length;
        functions = Arrays.copyOf(functions, size);
        calledFrom = Arrays.copyOf(calledFrom, size);
        numbers = Arrays.copyOf(numbers, size);
        alikeBefore = Arrays.copyOf(alikeBefore, size);
        UNSAFE.storeFence();
        begun = Arrays.copyOf(begun, size); // others look at this one first
    }

    @ForceInline
    void push(int function, int from) {
        int d = depth;
        if (d == begun.length)
            grow();
        Memory.store(begun, d, 0);
        functions[d] = function;
        calledFrom[d] = d == 0 ? 0 : from; // nothing that is watched calls the first one
        if (Turns.ON)
            numbers[d] = 0;
        UNSAFE.storeFence();
        depth = d + 1;
        t.since = ThreadState.STALE;
    }

    @ForceInline
    void pop() {
        if (depth == 0)
            return;
        if (depth <= t.guessingAt)
            Guesses.emit(t);
        int d = --depth;
        if (emitted > d) {
            leaveEmitted(d);
        } else if (boarded > d) {
            boarded = d;
            leaveBoarded(d);
        } else if (boarded == d) {
            t.since = t.sinceOf();
        }
    }

    void unwind(int to) {
        while (depth > to)
            pop();
    }

    private long calledFromPc(int i) {
        return calledFrom[i] == 0 ? 0 : Sites.pc(calledFrom[i]);
    }

    // ---- leaving ----

    @DontInline
    private void leaveEmitted(int d) {
        emitted = boarded = d;
        long passed = t.ahead;
        t.ahead = 0;
        Writer.emit(t, Writer.what(functions[d] < 0 ? END : LEAVE, 0, 0), passed);
        Writer.publish(t);
        boolean alike = t.alike == begun[d] && Stream.deferring && d > 0;
        t.newDeferredEpoch();
        if (alike) {
            t.alike = alikeBefore[d];
            t.since = t.sinceOf();
        }
    }

    @DontInline
    private void leaveBoarded(int d) {
        boolean alike = t.alike == begun[d];
        t.passEpoch();
        t.alike = alike ? alikeBefore[d] : t.current;
        if (!t.alone)
            t.left.add(begun[d], ThreadState.epochOf(t.current), functions[d], calledFrom[d], d,
                    emitted);
        t.since = t.sinceOf();
    }

    // ---- emitting ----

    private void emitPassed(long passed) {
        Writer.put(t, Writer.what(AT, 0, 0), passed - 1);
        t.base--;
        t.ahead -= passed;
    }

    private int pass(long passed, int most) {
        if (passed > most) {
            emitPassed(passed);
            return 0;
        }
        t.ahead -= passed;
        return (int) passed;
    }

    private void emitFrame(int i, long passed, int aux) {
        if (functions[i] >= 0) {
            aux |= pass(passed, MOST_PASSED) << PASSED_AT;
            Writer.put(t, Writer.what(ENTER, aux, calledFromPc(i)), Sites.pc(functions[i]));
        } else {
            pass(passed, 0);
            Writer.put(t, Writer.what(BEGIN, 0, calledFromPc(i)), -(long) functions[i]);
        }
    }

    private void emitNew(int i) {
        emitFrame(i, t.ahead, 0);
        alikeBefore[i] = t.alike;
        t.newEpoch();
        Memory.store(begun, i, t.alike);
    }

    private void emitLate(int i) {
        long epoch = ThreadState.epochOf(begun[i]);
        emitFrame(i, epoch - (t.base - t.ahead + t.position + 1), COUNTED);
        t.base--;
        t.ahead--;
    }

    private void emitBelow(int end) {
        int i = emitted, late = boarded;
        while (i < end && i < late)
            emitLate(i++);
        if (i < end)
            boarded = end;
        while (i < end)
            emitNew(i++);
        Writer.publish(t);
        emitted = end;
    }

    /** Before an event is emitted. */
    void emitAll() {
        if (emitted != depth)
            emitBelow(depth);
    }

    void emitBoarded() {
        if (emitted < boarded)
            emitBelow(boarded);
        if (t.ahead != 0)
            emitPassed(t.ahead);
    }

    void emitBoardedBy(long epoch) {
        int end = emitted;
        while (end < boarded && ThreadState.epochOf(begun[end]) <= epoch)
            end++;
        if (end > emitted)
            emitBelow(end);
    }

    // ---- boarding ----

    private long findCounter(int function) {
        long all = Stream.counters(t.slot), pc = Sites.pc(function);
        long hash = pc * 0x9E3779B97F4A7C15L >>> 32;
        for (int i = 0; i < 16; i++) {
            long at = all + (hash + i) % COUNTERS * COUNTER_BYTES;
            long there = UNSAFE.getLong(at);
            if (there == 0)
                Memory.storeLong(at, pc);
            if (there == 0 || there == pc)
                return at;
        }
        return 0;
    }

    private long counterOf(int function) {
        if (function >= counters.length)
            counters = Arrays.copyOf(counters, Math.max(function + 1, 2 * counters.length));
        long all = Stream.counters(t.slot);
        if (counters[function] != 0)
            return all + counters[function] - 1;
        long at = findCounter(function);
        if (at != 0)
            counters[function] = (int) (at - all) + 1;
        return at;
    }

    private boolean board(int i) {
        long counter = counterOf(functions[i]);
        if (counter == 0)
            return false;
        board(i, counter);
        return true;
    }

    private void board(int i, long counter) {
        UNSAFE.putLong(counter + 8, UNSAFE.getLong(counter + 8) + 1);
        alikeBefore[i] = t.alike;
        t.passEpoch();
        t.alike = t.current;
        Memory.store(begun, i, t.alike);
    }

    /** The usual case of boardAll(): all frames that are left are methods that were boarded before.
     * If not so, nothing is done. */
    boolean boardKnown() {
        int from = boarded, end = depth;
        if (from == 0 || from == end)
            return false;
        int[] known = counters, all = functions;
        for (int i = from; i < end; i++)
            if (all[i] < 0 || all[i] >= known.length || known[all[i]] == 0)
                return false;
        long counters = Stream.counters(t.slot) - 1;
        for (int i = from; i < end; i++)
            board(i, counters + known[all[i]]);
        boarded = end;
        t.since = t.sinceOf();
        return true;
    }

    /** Frames from here on can be boarded. */
    private int boardingFrom() {
        if (!Stream.deferring || t.slot >= COUNTED_SLOTS)
            return depth;
        for (int i = depth; i-- > boarded; )
            if (i == 0 || functions[i] < 0)
                return i + 1;
        return boarded;
    }

    /** Before an access that may be deferred. */
    void boardAll() {
        if (boarded == depth)
            return;
        int from = boardingFrom();
        if (from > boarded)
            emitBelow(from);
        while (boarded < depth && board(boarded))
            boarded++;
        if (boarded < depth)
            emitBelow(depth);
        t.since = t.sinceOf();
    }

    // ---- frames of another thread ----

    /** An access of the slot's thread in that epoch will be emitted by t: emits where it was. */
    static void emitBoardedIn(ThreadState t, int slot, long epoch) {
        ThreadState other = slot == t.slot ? null : Slots.in(slot);
        if (other == null)
            return;
        Frames frames = other.frames;
        int i = frames.emitted;
        UNSAFE.loadFence();
        int depth = frames.depth;
        UNSAFE.loadFence();
        long[] begun = frames.begun;
        UNSAFE.loadFence();
        int[] functions = frames.functions, calledFrom = frames.calledFrom;
        for (long around = 0; i < depth && i < begun.length; i++) {
            long word = Memory.load(begun, i);
            if (word == 0 || ThreadState.slotOf(word) != slot || ThreadState.epochOf(word) > epoch)
                return;
            int function = functions[i], from = calledFrom[i];
            UNSAFE.loadFence();
            if (Memory.load(begun, i) != word || function < 0)
                return;
            long first = ThreadState.epochOf(word);
            long caller = from == 0 ? 0 : Sites.pc(from);
            Writer.emit(t, Writer.what(BOARDED, 0, caller), Sites.pc(function));
            Writer.emit(t, Writer.what(BOARDED_AT, 0, around), slot | first << 16);
            around = first;
        }
    }
}
