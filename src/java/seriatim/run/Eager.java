package seriatim.run;

import static seriatim.run.StreamLayout.*;
import static seriatim.run.ThreadState.*;

/** Accesses for recordings: each that is no repetition is emitted when it happens
 * (src/runtime/core/access_eager.c). */
final class Eager {
    private static boolean isRepeated(
            ThreadState t, long[] part, int index, long w, long r, boolean write) {
        long since = t.sinceOf();
        if (t.isSince(w, since) && (!write || r == 0 || t.isMine(r)))
            return true;
        return !write && (t.isSince(r, since)
                || (stateOf(r) == SHARED && t.shared.hasSince(part, index, w, since)));
    }

    private static boolean needsSequence(ThreadState t, long w, long r, boolean write) {
        boolean needs = !t.hasSlot();
        if (stateOf(w) == OWN)
            needs |= !t.isMine(w) && !t.comesAfter(w);
        else
            needs |= write && stateOf(w) == SHARED;
        if (write && r != 0)
            needs |= stateOf(r) == SHARED || (!t.isMine(r) && !t.comesAfter(r));
        return needs;
    }

    private static boolean isKnown(ThreadState t, long[] part, int index, long w, long r) {
        if (stateOf(r) == OWN)
            return t.isSince(r, t.stretch);
        return t.shared.hasSince(part, index, w, t.stretch);
    }

    static void access(ThreadState t, long[] part, int index, boolean write, int site) {
        long w = Memory.load(part, Parts.written(part, index)), r = Memory.load(part, index);
        if (isRepeated(t, part, index, w, r, write))
            return;
        long address = Parts.address(t, part) + Parts.offset(index);
        w = Memory.load(part, Parts.written(part, index));
        r = Shadow.loadRead(part, index);
        if (t.isForeign(w) || (write && t.isForeign(r)))
            Stream.noteMeeting();
        long stretch = t.stretch;
        boolean sequence = needsSequence(t, w, r, write);
        t.frames.emitAll();
        if (stateOf(w) == SHARED)
            Writer.observe(t, sequenceOf(w));
        if (sequence)
            Writer.takeSequence(t);
        Writer.access(t, address, 8, write, site);
        Writer.publish(t);
        boolean known = Stream.rule != RULE_REDUCED && stretch == t.stretch
                && isKnown(t, part, index, w, r);
        keep(t, part, index, write, site);
        if (Stream.rule == RULE_REDUCED || !t.hasSlot())
            return;
        if (write)
            t.newEagerEpoch();
        else if (!known)
            t.newEagerEpochWithin();
    }

    private static void keep(
            ThreadState t, long[] part, int index, boolean write, int site) {
        long w = Memory.load(part, Parts.written(part, index)), r = Shadow.loadRead(part, index);
        if (!t.hasSlot()) {
            Memory.store(part, index, 0);
            Memory.store(part, Parts.written(part, index), shared(t.sequence));
        } else if (write) {
            Memory.store(part, index, t.current | WROTE);
            Memory.store(part, Parts.written(part, index), t.current);
        } else if (stateOf(w) == SHARED || stateOf(r) == SHARED || t.isForeign(r)) {
            if (t.isForeign(r))
                Memory.store(part, index, shared(0));
            t.shared.keep(part, index, w, site, true);
        } else {
            Memory.store(part, index, t.current | (t.isForeign(w) ? OF_OTHERS : 0));
        }
    }

    private Eager() {}
}
