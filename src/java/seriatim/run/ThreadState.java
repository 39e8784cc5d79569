package seriatim.run;

import static seriatim.run.Memory.UNSAFE;
import static seriatim.run.StreamLayout.*;

import jdk.internal.vm.annotation.ForceInline;

/**
 * What the agent knows about a thread. The words, epochs and slots are those of the runtime for C
 * (src/runtime/core): see shadow.h, thread_slot.h and call_stack.h there for what they mean and why
 * they are right. Only the thread itself changes this; others read the frames and the table of
 * shared reads.
 */
public final class ThreadState {
    /* A word, from above: two bits for its state, 14 for the slot, one that is 0, the epoch, three flags. So a
     * word is of the same thread as another one, and not older, if their difference is below EPOCHS. */
    static final int OWN = 1, SHARED = 2;
    static final int STATE_AT = 62, SLOT_AT = 48, EPOCHS_AT = 47, EPOCH_AT = 3;
    static final long EMITTED = 1 << 1;

    /** Of a word for reads: what was read was written by another thread. */
    static final long OF_OTHERS = 1;

    /** Of a word for reads: it is that of the last write, and nobody has read since. */
    static final long WROTE = 1 << 2;

    /** Of a shared word, below its state: a sequence number, or a bit for each reader. */
    static final int SHARED_AT = 2, READER_BITS = STATE_AT - SHARED_AT;

    static final long WHO = -1L << EPOCHS_AT;
    static final long WHO_AND_WHEN = ~(EMITTED | OF_OTHERS | WROTE);
    static final long STALE = 3L << STATE_AT; // no word has this state
    private static final int ENDS = 6; // the channel of a thread for that

    // As words.
    long me, current, alike, since, first, stretch;

    /** The bit that it has in shared words for reads; 0: others have the same (SharedReads.java). */
    long readerBit;

    /** Its first epoch, if accesses to what no other thread has touched need nothing but to be kept: the
     * frames are boarded, and nothing is special. STALE if that is not known. */
    long own = STALE;

    long base, ahead;
    int slot;
    public int serial;
    public boolean inside;
    boolean alone, finished;

    /** Has an event been emitted that counts as one whatever the specification says? Without one, a
     * thread that was created and joined passes nothing on (docs/witness.md, deferred accesses). */
    boolean counts;

    private long bornAt; // its position then

    /** Between an optimistic read and its validation (Guesses.java), and how deep it is there. */
    boolean guessing;

    int guessingAt = -1;
    Guesses guesses;
    int initialising; // how many static initialisers the thread is in
    Object handed; // the last task that was handed on, and the position after that
    long handedAt;
    boolean emittedInInitialiser; // they did something that is emitted
    private boolean[] usedClasses = {}; // by their numbers (Sync.java)
    int snapshot; // of a list (CopiedLists.java)

    long chunk;
    int used, chunks;
    long position, sequence, pendingSequence, emittedSequence;
    long loaded, loadedAt; // the last atomic load: its address, and the position after it

    /** If it takes turns with others. */
    seriatim.control.Runner runner;

    /** The part that a volatile access is at work on. */
    long[] locked;

    /** And the value that it reads or writes. */
    long value;

    /** The atomic access at work is one of a loop that waits. */
    boolean looking;

    /** So many methods are open that are no frames, since only outermost ones are. */
    int unseen;

    /** In methods of a synchronizer of the program's own, and how deep (Synchronizers.java): was the
     * thread outside of the agent before, and has it changed the synchronizer's number? */
    int trying;

    boolean tries, changed;

    /** It waits at a condition of one, or in acquireShared. */
    public boolean waitsAtCondition, waitsForLatch;

    /** Where the thread is in the code of the method that is open: of the last call. */
    public int site;

    final Frames frames = new Frames(this);
    final SharedReads shared = new SharedReads(this);
    final LeftFrames left = new LeftFrames();
    final OneAccess oneAccess = new OneAccess();
    final HeldMonitors held = new HeldMonitors();
    final LockNotes locks = new LockNotes(left);

    /** Perhaps it holds other locks than it has emitted (LockNotes.java). */
    boolean holdsChanged;

    final Looks looks = new Looks();
    final Arrays.Cache arrays = new Arrays.Cache();
    final Learned learned = new Learned();

    /** The state of this thread, which begins if it has none. */
    @ForceInline
    public static ThreadState get() {
        ThreadState t = ThreadField.get();
        return t != null ? t : Threads.begin();
    }

    /** The same; null if there is none yet. */
    public static ThreadState known() {
        return ThreadField.get();
    }

    /** Of all threads that have ended: nothing more is emitted about them. */
    static final ThreadState ENDED = new ThreadState();

    static {
        ENDED.inside = ENDED.finished = true;
    }

    /** The thread that has this state asks for it again. */
    ThreadState again() {
        ThreadField.set(this);
        return this;
    }

    static ThreadState create(int serial) {
        ThreadState t = new ThreadState();
        t.inside = true;
        ThreadField.set(t);
        t.serial = serial;
        Threads.hasBegun(t);
        Turns.known(t);
        Slots.take(t);
        if (t.slot < SLOTS)
            Writer.emit(t, Writer.what(SLOT, 0, t.slot), t.base);
        // The thread that had the slot before has emitted its end, with a sequence number, by now.
        Writer.observe(t, Stream.lastSequence());
        Writer.publish(t);
        t.bornAt = t.position;
        t.inside = false;
        return t;
    }

    void end() {
        if (finished)
            return;
        if (!counts && position != bornAt && Stream.deferring && !Turns.ON) // all was deferred
            Sync.send(this, Thread.currentThread(), ENDS, 0);
        inside = true;
        own = STALE;
        finished = true;
        frames.unwind(0);
        shared.flushAll();
        Writer.takeSequence(this);
        Writer.emit(this, Writer.what(THREAD_END, 0, 0), 0);
        Writer.publish(this);
        Writer.finish(this);
        Threads.ends(this);
        Slots.give(this);
        Threads.hasEnded();
    }

    // ---- words ----

    static int stateOf(long word) {
        return (int) (word >>> STATE_AT);
    }

    static int slotOf(long word) {
        return (int) (word >>> SLOT_AT) & (SLOTS - 1);
    }

    static long epochOf(long word) {
        return (word & ~WHO) >>> EPOCH_AT;
    }

    static long sequenceOf(long word) {
        return readersOf(word);
    }

    static long readersOf(long word) {
        return word << 64 - STATE_AT >>> 64 - STATE_AT + SHARED_AT;
    }

    static long shared(long payload) {
        return payload << SHARED_AT | (long) SHARED << STATE_AT;
    }

    @ForceInline
    long present() {
        return me | (base + position) << EPOCH_AT;
    }

    /** Has the thread used the class before? From now on it has. */
    boolean hasUsed(int initialiser) {
        if (initialiser >= usedClasses.length)
            usedClasses = java.util.Arrays.copyOf(usedClasses, 2 * initialiser + 1);
        boolean before = usedClasses[initialiser];
        usedClasses[initialiser] = true;
        return before;
    }

    boolean hasSlot() {
        return slot < SLOTS;
    }

    @ForceInline
    boolean isSince(long word, long since) {
        return word - since >>> EPOCHS_AT == 0;
    }

    @ForceInline
    boolean isMine(long word) {
        return isSince(word, first);
    }

    /** By the word for reads: is a write of the thread the last access? */
    @ForceInline
    boolean hasWrittenSince(long read) {
        return isSince(read, since) && (read & WROTE) != 0;
    }

    @ForceInline
    boolean isMineOrNone(long word) {
        return word == 0 || isMine(word);
    }

    /** Is this the word for reads of a variable that no other thread has touched, and is that enough? If
     * not of a read then of a write it is; and who has read it last knows whose write that was. */
    @ForceInline
    boolean isOwn(long read) {
        return isSince(read, own) && (read & OF_OTHERS) == 0;
    }

    boolean isForeign(long word) {
        return stateOf(word) == OWN && !isMine(word);
    }

    boolean isOfNow(long word) {
        return ((word ^ current) & WHO_AND_WHEN) == 0;
    }

    boolean comesAfter(long word) {
        return Slots.isOrdered(this, slotOf(word), epochOf(word));
    }

    static boolean isLive(long word) {
        return stateOf(word) == OWN && !Slots.isDead(slotOf(word), epochOf(word));
    }

    // ---- epochs ----

    @ForceInline
    long sinceOf() {
        if (frames.boarded != frames.depth || Stream.rule == RULE_EVERY)
            return STALE;
        return alone ? first : alike;
    }

    void newEpoch() {
        if (!hasSlot())
            return;
        current = alike = stretch = present();
        since = sinceOf();
    }

    void newEagerEpoch() {
        base++;
        newEpoch();
    }

    void newEagerEpochWithin() {
        long before = stretch;
        newEagerEpoch();
        stretch = before;
    }

    void newDeferredEpoch() {
        if (Stream.deferring || Stream.rule != RULE_REDUCED)
            newEpoch();
    }

    /** A new epoch, of which the watcher does not hear. */
    @ForceInline
    void passEpoch() {
        base++;
        ahead++;
        current = present();
    }

    private ThreadState() {}
}
