package seriatim.control;

import static seriatim.control.ControlLayout.*;

/**
 * A thread that takes turns (src/runtime/control/runner.h). Who has the baton, or the lock of the
 * scheduler, changes it. It is in the list of those who can go on exactly while it is READY.
 */
public final class Runner {
    final int index, child;
    public final long name;
    final long parent;

    /** The word that it waits for while it is parked: 1 if it has the baton. */
    final long go;

    Thread thread;
    int tid; // of the kernel; 0: not begun yet
    int children;

    // The pending operation.
    int state = ENDED, kind = AT_BEGIN;
    long object;
    int size;
    Place place;

    // Waiting.
    Object blockedOn;
    long blockedAt; // the same as an address, for the log
    Runner owner;
    long deadline = Clock.FOREVER, ticket, began;
    boolean queued, woken, timedOut, interrupted, mayBeInterrupted;
    boolean permit; // of LockSupport
    final Object permits = new Object(); // what it waits for if it has none

    /** The monitor in which it really waits while it is parked; null: it does not. */
    volatile Object monitor;

    /** Who gave the baton to it last, and will wake it or has done so. */
    volatile Baton.Call call;

    volatile boolean loose; // the baton was taken from it, as it waited where we cannot see it
    boolean yielding, last, exitsFirst;
    volatile long beats; // so often it came by
    long clock, points, since;
    int blocks, wakes, clockReads;

    /** In a static initialiser, for which others would wait unseen: it is not stopped there. */
    public int initialising;

    final Spinning spinning = new Spinning();
    int[] counts = new int[256]; // of events, by the row of their place

    // The block that it is in.
    public int block, rootBlock, blocksBegun, blockPoints;
    public long blockSite;

    // For strategies.
    long priority, expected, heldSince;
    int heldBlock;
    boolean held, heldAfter, letGo;

    // Deviations of the plan: the next one, and its clock.
    int deviation = Deviations.NONE;
    long deviationClock = Clock.FOREVER;

    Runner(int index, long name, long parent, int child) {
        this.index = index;
        this.name = name;
        this.parent = parent;
        this.child = child;
        go = Area.UNSAFE.allocateMemory(8);
        Area.UNSAFE.putInt(go, 0);
    }

    public boolean isFirst() {
        return index == 0;
    }

    /** What it did has changed something that others may wait for: it does not spin. */
    public void changes() {
        spinning.changed();
    }

    /** It waits for nobody. */
    public void comesBy() {
        beats++;
    }

    boolean has(int row) {
        return row < counts.length;
    }

    void count(int row) {
        if (row >= counts.length)
            counts = java.util.Arrays.copyOf(counts, Math.max(row + 1, 2 * counts.length));
        counts[row]++;
    }

    boolean isParked() {
        return Area.UNSAFE.getIntVolatile(null, go) == 0;
    }

    void log() {
        if (index >= THREADS)
            return;
        long at = LOG_THREADS + (long) THREAD_BYTES * index;
        Area.set(at + THREAD_NAME, name);
        Area.set(at + THREAD_PARENT, parent);
        Area.set(at + THREAD_CLOCK, clock);
        Area.set(at + THREAD_POINTS, points);
        Area.setCount(at + THREAD_CHILD, child);
        Area.setSmall(at + THREAD_STATE, state);
        Area.setSmall(at + THREAD_KIND, kind);
        Area.set(at + THREAD_SITE, place == null ? 0 : place.site);
        Area.set(at + THREAD_OBJECT, object);
        Area.set(at + THREAD_BLOCKED_ON, blockedAt);
        Area.set(at + THREAD_OWNER, owner == null ? 0 : owner.name);
    }
}
