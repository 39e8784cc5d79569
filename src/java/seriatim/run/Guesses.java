package seriatim.run;

/**
 * Reads between tryOptimisticRead() and validate() of a StampedLock. They count only if the stamp is
 * still valid: then nothing was written meanwhile, so they are emitted at that time. Otherwise the
 * program throws away what it has read, and so does this.
 */
public final class Guesses {
    private static final int MOST = 64;
    private final long[][] parts = new long[MOST][];
    private final int[] indexes = new int[MOST], sites = new int[MOST];
    private int count;

    public static void begin(ThreadState t) {
        if (t.inside)
            return;
        emit(t);
        if (t.guesses == null)
            t.guesses = new Guesses();
        t.guessing = true;
        t.own = ThreadState.STALE;
        t.guessingAt = t.frames.depth;
    }

    public static void end(ThreadState t, boolean valid) {
        if (!t.guessing || t.inside)
            return;
        t.guessing = false;
        t.guessingAt = -1;
        Guesses all = t.guesses;
        int count = all.count;
        all.count = 0;
        for (int i = 0; i < count; i++) {
            if (valid)
                Shadow.read(t, all.parts[i], all.indexes[i], all.sites[i]);
            all.parts[i] = null;
        }
    }

    /** The stamp is valid: as if the thread had held the lock for readers. */
    public static void hold(ThreadState t, Object lock, int site) {
        boolean any = t.guessing && !t.inside && t.guesses.count > 0;
        if (any) {
            t.guessing = false;
            Sync.acquire(t, lock, Sync.READING, site);
            t.guessing = true;
        }
        end(t, true);
        if (any)
            Sync.release(t, lock, Sync.READING, site);
    }

    /** Something else happens than reading: whether the stamp is valid will not be known in time. */
    static void emit(ThreadState t) {
        end(t, true);
    }

    /** False: there are too many, and this one is emitted like any other. */
    static boolean keep(ThreadState t, long[] part, int index, int site) {
        Guesses all = t.guesses;
        if (all.count == MOST) {
            emit(t);
            return false;
        }
        all.parts[all.count] = part;
        all.indexes[all.count] = index;
        all.sites[all.count++] = site;
        return true;
    }

    private Guesses() {}
}
