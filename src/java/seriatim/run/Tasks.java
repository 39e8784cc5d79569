package seriatim.run;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountedCompleter;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Phaser;

/**
 * Tasks and futures of the JDK, called from its own code. Handing a task to others comes before it
 * is run, and what completes it before what those do who ask for that.
 */
public final class Tasks {
    private static final int HANDED = 5, COMPLETED = 6, DEPENDS = 7;
    private static final long SOURCE = offset("UniCompletion", "src");
    private static final long SECOND = offset("BiCompletion", "snd");
    private static final Class<?> uni = type("UniCompletion"), bi = type("BiCompletion");

    private static Class<?> type(String name) {
        try {
            return Class.forName("java.util.concurrent.CompletableFuture$" + name, false, null);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    private static long offset(String name, String field) {
        try {
            return Memory.UNSAFE.objectFieldOffset(type(name).getDeclaredField(field));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return -1;
        }
    }

    private static void send(Object object, int channel) {
        ThreadState t = Stream.head == 0 ? null : ThreadState.known();
        if (t != null)
            Sync.send(t, object, channel, t.site);
    }

    private static void receive(Object object, int channel) {
        if (Stream.head == 0 || object == null)
            return;
        if (!Objects.isKnown(object))
            return; // nobody has sent anything
        ThreadState t = ThreadState.get();
        Sync.receive(t, object, channel, t.site);
    }

    /** Methods that hand a task on may call each other: that is emitted once, as predictions trust only
     * signals that are given once. */
    public static void handed(Object task) {
        ThreadState t = Stream.head == 0 ? null : ThreadState.known();
        if (t == null || (t.handed == task && t.handedAt == t.position))
            return;
        Sync.send(t, task, HANDED, t.site);
        t.handed = task;
        t.handedAt = t.position;
    }

    public static void taken(Object task) {
        receive(task, HANDED);
    }

    /** A thread that waits for others helps them: what it does then is no part of its blocks. */
    public static void runs(Object task) {
        waits(task);
        taken(task);
    }

    public static void completes(Object future) {
        send(future, COMPLETED);
    }

    public static void completed(Object future) {
        receive(future, COMPLETED);
    }

    public static void completed(boolean yes, Object future) {
        if (yes)
            receive(future, COMPLETED);
    }

    /** The thread has handed on a task, and waited for it. */
    public static void joined(Object task) {
        waits(task);
        completed(task);
    }

    /** The same with an array of tasks, or a collection. */
    public static void allJoined(Object tasks) {
        if (Stream.head == 0)
            return;
        for (Object task : tasks instanceof Object[] ? java.util.Arrays.asList((Object[]) tasks)
                                                     : (java.util.Collection<?>) tasks)
            joined(task);
    }

    /** The thread has looked which of these futures are completed. */
    public static void seen(Object futures) {
        if (Stream.head == 0)
            return;
        for (CompletableFuture<?> future : (CompletableFuture<?>[]) futures)
            if (future != null && future.isDone())
                joined(future);
    }

    // ---- barriers ----

    // A fast thread can arrive for the next phase before a slow one has emitted that it goes on from this
    // one, and must not seem to come before that. So the phases take turns on two channels.

    private static final long GENERATION = generationOffset();
    private static final SideTable<Phase> phases = new SideTable<>();

    /** Of a CyclicBarrier, whose phases have no numbers, but an object each. */
    private static final class Phase {
        private Object generation;
        private int number;

        synchronized int now(Object barrier) {
            Object there = Memory.UNSAFE.getObjectVolatile(barrier, GENERATION);
            if (there != generation)
                number++;
            generation = there;
            return number;
        }
    }

    private static long generationOffset() {
        try {
            return Memory.UNSAFE.objectFieldOffset(CyclicBarrier.class.getDeclaredField("generation"));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return -1;
        }
    }

    /** The channel of the phase that a barrier is in. Who is about to arrive cannot be told wrongly, since
     * the phase does not end without it. */
    public static int channelOf(Object barrier, ThreadState t) {
        if (barrier instanceof Phaser)
            return channelOf(((Phaser) barrier).getPhase());
        if (barrier == null || t == null || t.inside || GENERATION < 0)
            return 0;
        t.inside = true;
        try {
            Phase phase = phases.find(barrier);
            return channelOf((phase != null ? phase : phases.add(barrier, new Phase())).now(barrier));
        } finally {
            t.inside = false;
        }
    }

    /** That of the phase of a Phaser with this number. */
    public static int channelOf(int phase) {
        return phase & 1;
    }

    /** All have arrived at a barrier, and what is to be done then begins. */
    public static void trips(Object barrier) {
        if (barrier.getClass() != Phaser.class) // which does nothing then
            receive(barrier, channelOf(barrier, ThreadState.known()));
    }

    /** It is done. Others may come to the next phase before this thread goes on. */
    public static void tripped(Object barrier) {
        if (barrier.getClass() == Phaser.class)
            return;
        send(barrier, channelOf(barrier, ThreadState.known()));
        waits(barrier);
    }

    public static void completesPart(Object task) {
        send(((CountedCompleter<?>) task).getRoot(), COMPLETED);
    }

    /** Who comes last goes on with what all have done. */
    public static void completedPart(Object task) {
        joined(((CountedCompleter<?>) task).getRoot());
    }

    /** A stage will be done when another one is, by whoever does that. */
    public static void depends(Object completion) {
        send(completion, DEPENDS);
    }

    /** A stage that depends on others is about to be done, perhaps by who has completed one of these. */
    public static void fires(Object completion) {
        waits(completion);
        receive(completion, DEPENDS);
        if (SOURCE >= 0 && uni.isInstance(completion))
            receive(Memory.UNSAFE.getObject(completion, SOURCE), COMPLETED);
        if (SECOND >= 0 && bi.isInstance(completion))
            receive(Memory.UNSAFE.getObject(completion, SECOND), COMPLETED);
    }

    public static void waits(Object future) {
        ThreadState t = Stream.head == 0 ? null : ThreadState.known();
        if (t != null)
            Sync.split(t);
    }

    private Tasks() {}
}
