package seriatim.run;

import static seriatim.run.Memory.UNSAFE;
import static seriatim.run.StreamLayout.*;
import static seriatim.run.ThreadState.*;

import java.nio.ByteOrder;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * Accesses to variables. A part (Parts.java) has three words for each variable: who wrote it last,
 * who has read it since, and where in the code (the write above, the read below). This is
 * src/runtime/deferred for variables that are always accessed as a whole: so no word ever has to
 * know of two epochs, and nothing is mixed or spilled.
 *
 * <p>While a class is initialised, what the thread does with objects that no other thread has touched
 * is not emitted: whoever uses the class first would have done it, and all others come after it.
 */
final class Shadow {
    /** Two more are for learning who shares it (seriatim.control.Learning), if threads take turns. */
    static final int WORDS = Turns.ON ? 5 : 3;
    private static final int READ_HALF =
            ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 0 : 4;

    /** Who writes puts the same word in the place of reads, too. So that says who came last, and accesses
     * to what no other thread touches need no more than that. 0 here: nobody has read since. */
    private static long readSince(long r) {
        return stateOf(r) == OWN && (r & WROTE) != 0 ? 0 : r;
    }

    static long loadRead(long[] part, int index) {
        return readSince(Memory.load(part, index));
    }

    // ---- the common cases ----

    static boolean isRepeatedRead(ThreadState t, long w, long r) {
        return t.isSince(w, t.since) || t.isSince(r, t.since);
    }

    private static boolean isRepeatedWrite(ThreadState t, long w, long r) {
        return t.isSince(w, t.since) && t.isMine(r);
    }

    /** May accesses be deferred, and the frames be boarded without emitting anything? */
    @ForceInline
    private static boolean isUsual(ThreadState t) {
        if (t.inside | t.guessing | !Stream.deferring | t.initialising > 0)
            return false;
        if (t.since == STALE && !t.frames.boardKnown())
            return false;
        t.own = KEEPS_OWN ? t.first : STALE;
        return true;
    }

    /** Classes of the JDK that are watched may be used by the agent itself, whose accesses do not
     * count. */
    private static final boolean KEEPS_OWN = !Turns.ON && Settings.jdkClasses().isEmpty();

    // Others who see these words see the frames, too: Frames has a fence behind each new epoch. They may
    // see another place in the code, as they do if the thread comes again while they look.

    @ForceInline
    static void keepOwnRead(ThreadState t, long[] part, int index, int site) {
        setReadSite(part, index, site);
        Memory.keep(part, index, t.current);
    }

    @ForceInline
    static void keepOwnWrite(ThreadState t, long[] part, int index, int site) {
        long now = t.current;
        setWriteSite(part, index, site);
        Memory.keep(part, index, now | WROTE);
        Memory.keep(part, Parts.written(part, index), now);
    }

    /** A read that is no repetition of a read or write since the last event. */
    @DontInline
    static void read(ThreadState t, long[] part, int index, int site) {
        long last = part[index];
        if (t.isSince(last, t.own)) {
            if ((last & OF_OTHERS) == 0) {
                keepOwnRead(t, part, index, site);
                return;
            }
            // As before, nobody else has read it, and nobody has written it since.
            if (Memory.swap(part, index, last, t.current | OF_OTHERS)) {
                setReadSite(part, index, site);
                return;
            }
        }
        if (t.own == STALE ? t.shared.isRepeated(part, index, last)
                : t.shared.isReadAgain(part, index, last, site))
            return;
        long w = Memory.load(part, Parts.written(part, index)), r = Memory.load(part, index);
        if (stateOf(r) == SHARED && t.since != STALE && t.shared.hasSince(part, index, w, t.since))
            return;
        if (isUsual(t)) {
            if (isRepeatedRead(t, w, r) || deferRead(t, part, index, w, r, site))
                return;
        }
        readAtLength(t, part, index, site);
    }

    @DontInline
    private static void readAtLength(ThreadState t, long[] part, int index, int site) {
        if (t.inside || (t.initialising > 0 && Sync.Initialisers.leavesOut(t, part))
                || (t.guessing && Guesses.keep(t, part, index, site)))
            return;
        t.inside = true;
        try {
            t.frames.boardAll();
            long w = Memory.load(part, Parts.written(part, index)), r = Memory.load(part, index);
            if (Stream.deferring) {
                if (isRepeatedRead(t, w, r) || deferRead(t, part, index, w, r, site))
                    return;
                access(t, part, index, false, site);
            } else {
                Eager.access(t, part, index, false, site);
            }
        } finally {
            t.inside = false;
        }
    }

    /** The same in a method that does nothing else (LeftFrames.java). */
    @DontInline
    static void readOne(ThreadState t, long[] part, int index, int site, int method) {
        if (t.frames.depth > 1 && isUsual(t)) {
            long w = Memory.load(part, Parts.written(part, index)), r = Memory.load(part, index);
            int place = t.oneAccess.place(t.site, site, method);
            if (isRepeatedRead(t, w, r) || deferRead(t, part, index, w, r, place))
                return;
        }
        t.frames.push(method, t.site);
        read(t, part, index, site);
        t.frames.pop();
    }

    @DontInline
    static void writeOne(ThreadState t, long[] part, int index, int site, int method) {
        if (t.frames.depth > 1 && isUsual(t)) {
            long w = Memory.load(part, Parts.written(part, index)), r = Memory.load(part, index);
            int place = t.oneAccess.place(t.site, site, method);
            if (isRepeatedWrite(t, w, r) || deferWrite(t, part, index, w, r, place))
                return;
        }
        t.frames.push(method, t.site);
        write(t, part, index, site);
        t.frames.pop();
    }

    @DontInline
    static void write(ThreadState t, long[] part, int index, int site) {
        if (t.isOwn(part[index])) {
            keepOwnWrite(t, part, index, site);
            return;
        }
        if (isUsual(t)) {
            long w = Memory.load(part, Parts.written(part, index)), r = Memory.load(part, index);
            if (isRepeatedWrite(t, w, r) || deferWrite(t, part, index, w, r, site))
                return;
        }
        writeAtLength(t, part, index, site);
    }

    @DontInline
    private static void writeAtLength(ThreadState t, long[] part, int index, int site) {
        if (t.inside || (t.initialising > 0 && Sync.Initialisers.leavesOut(t, part)))
            return;
        if (t.guessing)
            Guesses.emit(t);
        t.inside = true;
        try {
            t.frames.boardAll();
            long w = Memory.load(part, Parts.written(part, index)), r = Memory.load(part, index);
            if (Stream.deferring) {
                if (isRepeatedWrite(t, w, r) || deferWrite(t, part, index, w, r, site))
                    return;
                access(t, part, index, true, site);
            } else {
                Eager.access(t, part, index, true, site);
            }
        } finally {
            t.inside = false;
        }
    }

    // Of the word for both places, halves: the read is the lower one.

    static void setReadSite(long[] part, int index, int site) {
        UNSAFE.putInt(part, siteAt(part, index) + READ_HALF, site);
    }

    static void setWriteSite(long[] part, int index, int site) {
        UNSAFE.putInt(part, siteAt(part, index) + 4 - READ_HALF, site);
    }

    private static long siteAt(long[] part, int index) {
        return Memory.LONGS + 8L * Parts.places(part, index);
    }

    /** Nothing need be emitted: above all, no other thread has touched the variable. */
    private static boolean deferRead(
            ThreadState t, long[] part, int index, long w, long r, int site) {
        if (stateOf(w) == SHARED)
            return false;
        if (stateOf(r) == SHARED)
            return part[0] != 0 && t.shared.repeat(part, index, w, site);
        long read = readSince(r);
        if (!t.isMineOrNone(read))
            return false;
        if (t.isMineOrNone(w)) {
            keepOwnRead(t, part, index, site);
            return true;
        }
        // What another thread wrote may be read again: the watcher knows the dependence.
        if (read == 0 && !t.learned.has(w))
            return false;
        if (!Memory.swap(part, index, r, t.current | OF_OTHERS))
            return false;
        setReadSite(part, index, site);
        return true;
    }

    private static boolean deferWrite(
            ThreadState t, long[] part, int index, long w, long r, int site) {
        if (!t.isMineOrNone(w) || !t.isMineOrNone(r))
            return false;
        keepOwnWrite(t, part, index, site);
        return true;
    }

    // ---- emitting what was deferred ----

    private static void emitOwn(
            ThreadState t, boolean write, long address, long epoch, int place, int look) {
        t.frames.emitBoardedBy(epoch);
        LeftFrames.emitWithin(t, t.left, t.slot, epoch);
        OneAccess.emitWithin(t, place);
        LockNotes.emitHeld(t, t.slot, epoch);
        Writer.put(t, Writer.what(write ? KEPT_WRITE : KEPT_READ, 0xff, address),
                t.slot | epoch << 16);
        Writer.put(t, Writer.what(PC, look, 0), lowerPc(place));
        t.base -= 2;
    }

    private static long lowerPc(int place) {
        return Sites.pc(OneAccess.siteOf(place)) & 0xffffffffL;
    }

    static void emitWord(ThreadState t, boolean write, long address, long word, int place) {
        emitWord(t, write, address, word, place, 0);
    }

    /** `look`: LOOK if it was an atomic load (Looks in Atomics.java), or 0. */
    @DontInline
    static void emitWord(
            ThreadState t, boolean write, long address, long word, int place, int look) {
        if (stateOf(word) != OWN || (word & EMITTED) != 0)
            return;
        int slot = slotOf(word);
        long epoch = epochOf(word);
        if (Slots.isDead(slot, epoch))
            return;
        if (slot == t.slot && epoch >= epochOf(t.first) && t.pendingSequence == 0) {
            emitOwn(t, write, address, epoch, place, look);
            return;
        }
        Frames.emitBoardedIn(t, slot, epoch);
        ThreadState other = slot == t.slot ? t : Slots.in(slot);
        if (other != null)
            LeftFrames.emitWithin(t, other.left, slot, epoch);
        OneAccess.emitWithin(t, place);
        LockNotes.emitHeld(t, slot, epoch);
        Writer.emit(t, Writer.what(write ? DEFERRED_WRITE : DEFERRED_READ, 0xff, address),
                slot | epoch << 16);
        Writer.emit(t, Writer.what(PC, look, 0), lowerPc(place));
    }

    static void flushWrite(ThreadState t, long[] part, int index, long address, long w) {
        if (Stream.deferring)
            emitWord(t, true, address, w, (int) (part[Parts.places(part, index)] >>> 32));
    }

    static void flushReads(
            ThreadState t, long[] part, int index, long address, long w, long r) {
        if (!Stream.deferring)
            return;
        if (stateOf(r) == SHARED)
            SharedReads.emitReaders(t, part, index, w, r);
        else
            emitWord(t, false, address, r, (int) part[Parts.places(part, index)]);
    }

    // ---- the other cases ----

    private static boolean hasToFlushReads(ThreadState t, long r, boolean write) {
        if (stateOf(r) == SHARED)
            return write;
        return isNews(t, r);
    }

    /** Was that another thread, and does this one not depend on it yet? If it does, whoever depends on
     * what this one does now depends on that, too: it may be forgotten. */
    private static boolean isNews(ThreadState t, long word) {
        return t.isForeign(word) && isLive(word) && !t.learned.has(word);
    }

    private static boolean hasRead(ThreadState t, long[] part, int index, long w, long r) {
        return t.isMine(r) || (stateOf(r) == SHARED && t.shared.has(part, index, w));
    }

    private static void noteMeeting(ThreadState t, long w, long r, boolean write) {
        if (t.isForeign(w) || (write && t.isForeign(r)))
            Stream.noteMeeting();
    }

    @DontInline
    static void access(ThreadState t, long[] part, int index, boolean write, int site) {
        long address = Parts.address(t, part) + Parts.offset(index);
        long w = Memory.load(part, Parts.written(part, index)), r = loadRead(part, index);
        int state = stateOf(w);
        noteMeeting(t, w, r, write);
        boolean reads = hasToFlushReads(t, r, write);
        boolean unread = t.isForeign(w) && !hasRead(t, part, index, w, r);
        boolean emits = state == SHARED || !t.hasSlot() || (write && reads)
                || (unread && isNews(t, w));
        boolean sequence = !t.hasSlot() || (state == SHARED && write);
        if (reads)
            sequence |= stateOf(r) == SHARED || !t.comesAfter(r);
        sequence |= (emits || reads) && unread && !t.comesAfter(w);
        if (emits)
            t.frames.emitAll();
        if (state == SHARED)
            Writer.observe(t, sequenceOf(w));
        if (sequence)
            Writer.takeSequence(t);
        if (emits || reads)
            flushWrite(t, part, index, address, w);
        if (reads)
            flushReads(t, part, index, address, w, r);
        if (emits)
            Writer.access(t, address, 8, write, site);
        if (t.pendingSequence != 0)
            Writer.emit(t, Writer.what(NONE, 0, 0), 0);
        Writer.publish(t);
        if (emits) {
            t.counts = true;
            t.newEpoch(); // what the other thread did may be news
            t.learned.add(t, w);
        }
        keep(t, part, index, write, site, emits);
    }

    private static void keep(ThreadState t, long[] part, int index, boolean write, int site,
            boolean emitted) {
        if (!t.hasSlot()) { // no word can be this thread's: as if it had been atomic
            Memory.store(part, index, 0);
            Memory.store(part, Parts.written(part, index), shared(t.sequence));
            return;
        }
        if (write)
            keepWrite(t, part, index, site, emitted);
        else
            keepRead(t, part, index, site, emitted);
    }

    private static void keepWrite(
            ThreadState t, long[] part, int index, int site, boolean emitted) {
        long w = Memory.load(part, Parts.written(part, index));
        boolean all = emitted && (!t.isOfNow(w) || (w & EMITTED) != 0);
        setWriteSite(part, index, site);
        Memory.store(part, index, t.current | WROTE);
        Memory.store(part, Parts.written(part, index), t.current | (all ? EMITTED : 0));
    }

    /** Several threads may read at once: none of them may be lost. */
    @DontInline
    private static void keepRead(
            ThreadState t, long[] part, int index, int site, boolean emitted) {
        long w = Memory.load(part, Parts.written(part, index));
        if (emitted && t.isForeign(w) && (w & EMITTED) == 0
                && Memory.swap(part, Parts.written(part, index), w, w | EMITTED))
            w |= EMITTED;
        if (stateOf(w) == SHARED) {
            t.shared.keep(part, index, w, site, emitted);
            return;
        }
        for (;;) {
            long there = Memory.load(part, index), r = readSince(there), then;
            boolean shared = stateOf(r) == SHARED || isNews(t, r);
            if (shared) {
                then = stateOf(r) == SHARED ? r : shared(0);
                then |= SharedReads.bitOf(t.slot);
            } else {
                boolean all = emitted && (!t.isOfNow(r) || (r & EMITTED) != 0);
                then = t.current | (all ? EMITTED : 0) | (t.isForeign(w) ? OF_OTHERS : 0);
            }
            if (then == there || Memory.swap(part, index, there, then)) {
                if (shared)
                    t.shared.keep(part, index, w, site, emitted);
                else
                    setReadSite(part, index, site);
                return;
            }
        }
    }

    private Shadow() {}
}
