package seriatim.run;

import static seriatim.run.Memory.UNSAFE;
import static seriatim.run.StreamLayout.*;

import java.util.concurrent.locks.LockSupport;

/** The shared memory: chunks and sequence numbers. */
public final class Stream {
    /** Where the head is; 0: there is no stream, and nothing is emitted. */
    public static volatile long head;

    static boolean deferring;

    /** Locks order nothing, and need no events (LockNotes.java). */
    static boolean quietLocks;

    /** Atomic loads that find nothing new are deferred (Looks). */
    static boolean deferringLooks;

    static int rule;
    private static Memory.Mapped mapped;
    private static int chunkCount;
    private static long chunksAt, announcements, nextFree, deadBefore, counters;

    /** Opens the stream and takes it for this process, unless it was granted to it. What went wrong,
     * or null. */
    static String open(String path, boolean granted) {
        try {
            Memory.Mapped memory = new Memory.Mapped(path);
            long at = memory.addresses[0];
            if (memory.bytes < HEAD_BYTES || UNSAFE.getLong(at + HEAD_MAGIC) != MAGIC)
                return path + " is no stream";
            int version = UNSAFE.getInt(at + HEAD_VERSION);
            if (version != VERSION)
                return "the stream has version " + version + ", and this agent wants " + VERSION
                        + "; install seriatim and seriatim-java.jar of the same version";
            int process = seriatim.agent.ProcessId.get();
            if (!granted && !UNSAFE.compareAndSwapInt(null, at + HEAD_ATTACHED, 0, process))
                return ""; // another process was first: nothing to say
            begin(memory, at);
            return null;
        } catch (Exception | LinkageError e) {
            return "cannot open the stream " + path + ": " + e;
        }
    }

    private static void begin(Memory.Mapped memory, long at) {
        mapped = memory;
        chunkCount = UNSAFE.getInt(at + HEAD_CHUNK_COUNT);
        announcements = at + HEAD_BYTES;
        nextFree = announcements + 4L * chunkCount;
        deadBefore = announcements + 8L * chunkCount;
        counters = deadBefore + 8L * SLOTS;
        long bytes = HEAD_BYTES + 8L * chunkCount + 8L * SLOTS
                + (long) COUNTER_BYTES * COUNTED_SLOTS * COUNTERS;
        chunksAt = (bytes + CHUNK_BYTES - 1) / CHUNK_BYTES * CHUNK_BYTES;
        deferring = UNSAFE.getInt(at + HEAD_DEFERRED) != 0;
        quietLocks = deferring && !Turns.ON && UNSAFE.getInt(at + HEAD_QUIET_LOCKS) != 0;
        deferringLooks = deferring && !Turns.ON && UNSAFE.getInt(at + HEAD_RECORDED) == 0;
        rule = deferring ? RULE_REDUCED : UNSAFE.getInt(at + HEAD_RULE);
        head = at;
    }

    static boolean isClosed() {
        return UNSAFE.getIntVolatile(null, head + HEAD_CLOSED) != 0;
    }

    static void giveUp() {
        UNSAFE.putIntVolatile(null, head + HEAD_CLOSED, 1);
    }

    static void end() {
        if (head != 0)
            UNSAFE.putIntVolatile(null, head + HEAD_ENDED, 1);
    }

    static long takeSequence() {
        return UNSAFE.getAndAddLong(null, head + HEAD_NEXT_SEQUENCE, 1);
    }

    static long lastSequence() {
        return UNSAFE.getLongVolatile(null, head + HEAD_NEXT_SEQUENCE) - 1;
    }

    static void noteMeeting() {
        if (UNSAFE.getInt(head + HEAD_MET) == 0)
            UNSAFE.putIntVolatile(null, head + HEAD_MET, 1);
    }

    static long deadBefore(int slot) {
        return UNSAFE.getLong(deadBefore + 8L * slot);
    }

    static long counters(int slot) {
        return counters + (long) slot * COUNTERS * COUNTER_BYTES;
    }

    private static int takeChunk() {
        long top = UNSAFE.getLongVolatile(null, head + HEAD_FREE_TOP);
        while ((int) top != 0) {
            int index = (int) top - 1;
            long below = UNSAFE.getInt(nextFree + 4L * index) & 0xffffffffL;
            long next = ((top >>> 32) + 1) << 32 | below;
            if (UNSAFE.compareAndSwapLong(null, head + HEAD_FREE_TOP, top, next))
                return index;
            top = UNSAFE.getLongVolatile(null, head + HEAD_FREE_TOP);
        }
        return -1;
    }

    private static boolean isWatcherGone() {
        long word = UNSAFE.getIntVolatile(null, head + HEAD_ALIVE) & 0xffffffffL;
        return (word & OWNER_DIED) != 0;
    }

    /** The program may have a permit for park() that is not ours to take: we give one back. */
    private static int waitForChunk() {
        int index;
        boolean early = false;
        while ((index = takeChunk()) < 0) {
            Turns.waits(ThreadState.known());
            if (isClosed() || isWatcherGone())
                break;
            long before = System.nanoTime();
            UNSAFE.getAndAddInt(null, head + HEAD_WAITING, 1);
            LockSupport.parkNanos(1_000_000);
            UNSAFE.getAndAddInt(null, head + HEAD_WAITING, -1);
            if (System.nanoTime() - before < 900_000) {
                early = true;
                Thread.yield();
            }
        }
        if (early)
            LockSupport.unpark(Thread.currentThread());
        return index;
    }

    /** The address of a new chunk; 0: nobody reads any more. */
    static long newChunk(int thread, int number) {
        int index = isClosed() ? -1 : takeChunk();
        if (index < 0)
            index = waitForChunk();
        if (index < 0)
            return 0;
        long chunk = mapped.address(chunksAt + (long) index * CHUNK_BYTES);
        UNSAFE.putInt(chunk + CHUNK_COUNT, 0);
        UNSAFE.putInt(chunk + CHUNK_FULL, 0);
        UNSAFE.putInt(chunk + CHUNK_THREAD, thread);
        UNSAFE.putInt(chunk + CHUNK_INDEX, number);
        int announced = UNSAFE.getAndAddInt(null, head + HEAD_ANNOUNCED, 1);
        long position = Integer.remainderUnsigned(announced, chunkCount);
        UNSAFE.putIntVolatile(null, announcements + 4 * position, index + 1);
        return chunk;
    }

    private Stream() {}
}
