package seriatim.run;

import java.util.Arrays;

/**
 * Classes that are initialised: the end of a static initialiser comes before every use of its class
 * by other threads, as the JVM sees to it. That matters only if the initialiser did something that is
 * told (Shadow.java), which is rare; until then a use of a class costs one look.
 *
 * <p>As where C programs do something once (src/runtime/intercept/sync/once.c), inferred blocks are
 * split: by who initialised the class on behalf of all, and by who finds it done meanwhile.
 */
public final class Initialisers {
    private static final int CHANNEL = 5; // of the class

    private static final class Done {
        final Class<?> type;
        final ThreadState by;
        final long sequence;

        Done(Class<?> type, ThreadState by) {
            this.type = type;
            this.by = by;
            sequence = by.sequence;
        }
    }

    static boolean any; // who uses a class has seen what its initialiser did, this included
    private static int numbers;
    private static volatile Done[] all = {}; // by number; null: nothing was told

    /** A number for a class that has an initialiser, above 0. */
    public static synchronized int newNumber() {
        return ++numbers;
    }

    /** Is an access in an initialiser not told? */
    static boolean leavesOut(ThreadState t, long[] part) {
        if (part[0] == 0)
            return true;
        t.toldInInitialiser = true;
        return false;
    }

    static void end(ThreadState t, int number, Class<?> type, int site) {
        boolean told = t.toldInInitialiser;
        t.toldInInitialiser &= t.initialising > 0; // that of an inner one is also the outer one's
        if (!told || number == 0 || t.inside)
            return;
        Sync.send(t, type, CHANNEL, site);
        keep(number, new Done(type, t));
        Sync.split(t);
    }

    private static synchronized void keep(int number, Done done) {
        Done[] more = Arrays.copyOf(all, Math.max(all.length, number + 1));
        more[number] = done;
        all = more;
        any = true;
    }

    static void use(ThreadState t, int number, int site) {
        Done[] now = all;
        Done done = number < now.length ? now[number] : null;
        if (done == null || done.by == t || t.inside || t.hasUsed(number))
            return;
        if (done.sequence > t.sequence)
            Sync.split(t);
        Sync.receive(t, done.type, CHANNEL, site);
    }

    private Initialisers() {}
}
