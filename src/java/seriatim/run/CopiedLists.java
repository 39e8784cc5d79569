package seriatim.run;

/**
 * CopyOnWriteArrayList, and the set that has one in it: a variable that is exchanged as a whole. All
 * that such a list does goes through its methods getArray and setArray, which call this.
 */
public final class CopiedLists {
    private static final int NOTHING = 0, WILL_LOOK = 1, HAS_LOOKED = 2;

    private static ThreadState state() {
        return Stream.head == 0 ? null : ThreadState.known();
    }

    public static void begin(Object list) {
        ThreadState t = state();
        if (t != null)
            t.locked = Cells.begin(list, 0, t, t.site);
    }

    public static void looked(Object list) {
        ThreadState t = state();
        if (t == null || t.locked == null)
            return;
        long[] part = t.locked;
        t.locked = null;
        if (t.snapshot == WILL_LOOK) {
            t.snapshot = HAS_LOOKED;
            Cells.dropped(part, 0);
        } else {
            Cells.loaded(part, 0, 0, t, t.site);
        }
    }

    public static void changed(Object list) {
        ThreadState t = state();
        if (t == null || t.locked == null)
            return;
        long[] part = t.locked;
        t.locked = null;
        Cells.stored(part, 0, 0, t, t.site);
    }

    /** A method that looks, and then takes the list's lock and looks again: only one of these counts. */
    public static void beginsWithSnapshot(Object list) {
        ThreadState t = state();
        if (t != null)
            t.snapshot = WILL_LOOK;
    }

    public static void looksAgain(Object list) {
        ThreadState t = state();
        if (t != null)
            t.snapshot = NOTHING;
    }

    public static void endsWithSnapshot(Object list) {
        ThreadState t = state();
        if (t == null)
            return;
        boolean counts = t.snapshot == HAS_LOOKED;
        t.snapshot = NOTHING;
        if (counts)
            Cells.loaded(Cells.begin(list, 0, t, t.site), 0, 0, t, t.site);
    }

    private CopiedLists() {}
}
