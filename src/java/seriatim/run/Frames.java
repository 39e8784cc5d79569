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

    /** In the upper half the row of the method, or, below zero, the id of the text that names a block;
     * in the lower half where it was called. */
    private long[] calls = new long[64];

    /** Of the blocks that these are, for threads that take turns; 0: it has none yet. */
    int[] numbers = new int[64];

    /** The first epoch of a frame that is emitted or boarded, and what was alike before it; of other
     * frames the first is 0. Others look at it before they look at the call. */
    private long[] begun = new long[64];

    private long[] alikeBefore = new long[64];
    int depth, emitted, boarded;

    /** Where a method is counted, by its row: offset plus 1 of its counter; 0 not known yet. */
    private int[] counters = new int[0];

    private long countersAt; // what these offsets are of

    /** So many at most are said to be around a lock that was taken (LockNotes.java). */
    static final int MOST_OPEN = 32, MOST_CALLED = MOST_OPEN + LeftFrames.MOST_WITHIN;

    Frames(ThreadState t) {
        this.t = t;
    }

    int function(int i) {
        return functionOf(calls[i]);
    }

    int calledFrom(int i) {
        return (int) calls[i];
    }

    /** The first epoch of the innermost one, as a word; 0: there is none. */
    long innermostBegun() {
        return depth == 0 ? 0 : begun[depth - 1];
    }

    long innermostCall() {
        return depth == 0 ? 0 : calls[depth - 1];
    }

    /** A hash of the calls in which the thread is, as far as reports need them. */
    long path() {
        final int enough = 8;
        long path = depth;
        for (int i = depth; i-- > 0 && depth - i <= enough;)
            path = (path ^ calls[i]) * 0x9E3779B97F4A7C15L;
        return path;
    }

    static int functionOf(long call) {
        return (int) (call >> 32);
    }

    @DontInline
    private long[] grow() {
        int size = 2 * calls.length;
        calls = Arrays.copyOf(calls, size);
        numbers = Arrays.copyOf(numbers, size);
        alikeBefore = Arrays.copyOf(alikeBefore, size);
        UNSAFE.storeFence();
        begun = Arrays.copyOf(begun, size); // others look at this one first
        return calls;
    }

    @ForceInline
    void push(int function, int from) {
        int d = depth;
        long[] all = calls;
        if (d == all.length)
            all = grow();
        // Nothing that is watched calls the first one.
        all[d] = (long) function << 32 | (d == 0 ? 0 : from);
        if (Turns.ON)
            numbers[d] = 0;
        depth = d + 1;
        t.since = t.own = ThreadState.STALE;
    }

    /** The same, for a method of which the first deed is an access: it is boarded at once, as it would be
     * then. The frames below are boarded, and nothing is special (t.own). If it was never boarded
     * before, nothing is done. */
    @DontInline
    boolean pushBoarded(int function, int from) {
        int d = depth;
        int[] known = counters;
        if (d == 0 || d == calls.length || function >= known.length || known[function] == 0)
            return false;
        calls[d] = (long) function << 32 | from;
        depth = boarded = d + 1;
        board(d, countersAt + known[function]);
        UNSAFE.storeFence(); // before there are words of this epoch
        t.since = t.alone ? t.first : t.alike;
        return true;
    }

    @ForceInline
    void pop() {
        int d = depth - 1, last = boarded;
        if (d < last || d < t.guessingAt) // so it is if there is none
            leave(d);
        else
            popSilent(d, last);
    }

    /** The same where a method was probably boarded, and nothing was emitted in it. */
    @DontInline
    void popBoarded() {
        int d = depth - 1;
        if (boarded <= d || d < emitted || d < t.guessingAt) {
            pop();
            return;
        }
        depth = boarded = d;
        long first = begun[d];
        begun[d] = 0;
        UNSAFE.storeFence(); // before another call is there
        leaveBoarded(d, first);
    }

    @ForceInline
    private void popSilent(int d, int last) {
        depth = d;
        if (d == last)
            t.since = t.sinceOf();
    }

    @DontInline
    private void leave(int d) {
        if (d < 0)
            return;
        if (d < t.guessingAt)
            Guesses.emit(t);
        if (d >= boarded) {
            popSilent(d, boarded);
            return;
        }
        depth = d;
        long first = begun[d];
        Memory.store(begun, d, 0);
        UNSAFE.storeFence(); // before another call is there
        if (emitted > d) {
            leaveEmitted(d, first);
        } else {
            boarded = d;
            leaveBoarded(d, first);
        }
    }

    void unwind(int to) {
        while (depth > to)
            pop();
    }

    private long calledFromPc(int i) {
        return calledFrom(i) == 0 ? 0 : Sites.pc(calledFrom(i));
    }

    // ---- leaving ----

    private void leaveEmitted(int d, long first) {
        emitted = boarded = d;
        long passed = t.ahead;
        t.ahead = 0;
        boolean looking = t.looks.areGoingOn(t);
        Writer.emit(t, Writer.what(function(d) < 0 ? END : LEAVE, 0, 0), passed);
        if (looking)
            t.looks.goOn(t);
        Writer.publish(t);
        boolean alike = t.alike == first && Stream.deferring && d > 0;
        t.newDeferredEpoch();
        if (alike) {
            t.alike = alikeBefore[d];
            t.since = t.sinceOf();
        }
    }

    @ForceInline
    private void leaveBoarded(int d, long first) {
        boolean alike = t.alike == first;
        t.passEpoch();
        t.alike = alike ? alikeBefore[d] : t.current;
        if (!t.alone)
            t.left.add(first, t.current, calls[d], emitted >= d);
        t.since = t.alone ? t.first : t.alike;
    }

    // ---- emitting ----

    @DontInline
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
        if (function(i) >= 0) {
            aux |= pass(passed, MOST_PASSED) << PASSED_AT;
            Writer.put(t, Writer.what(ENTER, aux, calledFromPc(i)), Sites.pc(function(i)));
        } else {
            pass(passed, 0);
            if ((aux & LOCK_FREE) != 0)
                LockNotes.putNone(t);
            Writer.put(t, Writer.what(BEGIN, 0, calledFromPc(i)), -(long) function(i));
        }
    }

    private void emitNew(int i) {
        int aux = t.holdsChanged ? t.locks.emitAt(t, ThreadState.epochOf(t.current)) : 0;
        emitFrame(i, t.ahead, aux);
        alikeBefore[i] = t.alike;
        t.newEpoch();
        Memory.store(begun, i, t.alike);
    }

    private void emitLate(int i) {
        long epoch = ThreadState.epochOf(begun[i]);
        int aux = t.holdsChanged ? t.locks.emitAt(t, epoch) : 0;
        emitFrame(i, epoch - (t.base - t.ahead + t.position + 1), aux | COUNTED);
        t.base--;
        t.ahead--;
    }

    @DontInline
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
        if (t.holdsChanged)
            t.locks.emitNow(t);
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
        if (counters[function] != 0)
            return countersAt + counters[function];
        countersAt = Stream.counters(t.slot) - 1;
        long at = findCounter(function);
        if (at != 0)
            counters[function] = (int) (at - countersAt);
        return at;
    }

    private boolean board(int i) {
        long counter = counterOf(function(i));
        if (counter == 0)
            return false;
        board(i, counter);
        return true;
    }

    @ForceInline
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
        int[] known = counters;
        for (int i = from; i < end; i++) {
            int function = function(i);
            if (function < 0 || function >= known.length || known[function] == 0)
                return false;
        }
        for (int i = from; i < end; i++)
            board(i, countersAt + known[function(i)]);
        UNSAFE.storeFence(); // before there are words of these epochs
        boarded = end;
        t.since = t.sinceOf();
        return true;
    }

    /** Frames from here on can be boarded. */
    private int boardingFrom() {
        if (!Stream.deferring || t.slot >= COUNTED_SLOTS)
            return depth;
        for (int i = depth; i-- > boarded; )
            if (i == 0 || function(i) < 0)
                return i + 1;
        return boarded;
    }

    /** Before an access that may be deferred. */
    void boardAll() {
        if (boarded == depth)
            return;
        boardOrEmit();
        UNSAFE.storeFence();
        t.since = t.sinceOf();
    }

    /** For a look (Atomics.java). False: some would have to be emitted. */
    boolean boardLook() {
        if (emitted == 0 || boardingFrom() > boarded)
            return false;
        while (boarded < depth)
            if (!board(boarded++)) {
                boarded--;
                return false;
            }
        UNSAFE.storeFence();
        t.since = t.sinceOf();
        return true;
    }

    @DontInline
    private void boardOrEmit() {
        int from = boardingFrom();
        if (from > boarded)
            emitBelow(from);
        while (boarded < depth && board(boarded))
            boarded++;
        if (boarded < depth)
            emitBelow(depth);
    }

    // ---- what is emitted of frames with an access that was deferred ----

    /** The access that comes next happened in a method that was left, or is no frame. */
    static void putWithin(ThreadState t, long call) {
        int from = (int) call;
        Writer.put(t, Writer.what(WITHIN, 0, from == 0 ? 0 : Sites.pc(from)),
                Sites.pc(functionOf(call)));
        t.base--;
    }

    /** The methods that another thread has boarded and not emitted, and may have been in in that epoch,
     * outermost first. */
    private static final class Open {
        private final int slot, depth;
        private final long epoch;
        private final long[] begun, calls;
        private int next;
        long call, first; // of the last one, and its first epoch

        Open(Frames frames, int slot, long epoch) {
            this.slot = slot;
            this.epoch = epoch;
            next = frames.emitted;
            UNSAFE.loadFence();
            depth = frames.depth;
            UNSAFE.loadFence();
            begun = frames.begun;
            UNSAFE.loadFence();
            calls = frames.calls;
        }

        boolean next() {
            if (next >= depth || next >= begun.length)
                return false;
            long word = Memory.load(begun, next);
            if (word == 0 || ThreadState.slotOf(word) != slot || ThreadState.epochOf(word) > epoch)
                return false;
            long there = calls[next];
            UNSAFE.loadFence();
            if (Memory.load(begun, next) != word || functionOf(there) < 0)
                return false;
            call = there;
            first = ThreadState.epochOf(word);
            next++;
            return true;
        }
    }

    /** Their calls and first epochs, as pairs; how many. */
    static int openIn(ThreadState other, int slot, long epoch, long[] found) {
        int count = 0;
        if (other == null)
            return 0;
        Open open = new Open(other.frames, slot, epoch);
        for (; count < MOST_OPEN && open.next(); count++) {
            found[2 * count] = open.call;
            found[2 * count + 1] = open.first;
        }
        return count;
    }

    /** An access of the slot's thread in that epoch will be emitted by t: emits where it was. */
    static void emitBoardedIn(ThreadState t, int slot, long epoch) {
        ThreadState other = slot == t.slot ? null : Slots.in(slot);
        if (other == null)
            return;
        Open open = new Open(other.frames, slot, epoch);
        for (long around = 0; open.next(); around = open.first) {
            int from = (int) open.call;
            long caller = from == 0 ? 0 : Sites.pc(from);
            Writer.emit(t, Writer.what(BOARDED, 0, caller), Sites.pc(functionOf(open.call)));
            Writer.emit(t, Writer.what(BOARDED_AT, 0, around), slot | open.first << 16);
        }
    }
}
