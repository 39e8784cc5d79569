package seriatim.run;

import static seriatim.run.Memory.UNSAFE;
import static seriatim.run.StreamLayout.*;

import java.nio.charset.StandardCharsets;
import jdk.internal.vm.annotation.DontInline;

/** The stream of a thread: records, chunks and sequence numbers (stream_writer.h). */
final class Writer {
    static long what(int op, int aux, long address) {
        return op | (long) (aux & 0xff) << 8 | address << 16;
    }

    /** Where nobody reads any more: memory of the thread's own, which is never given back. */
    private static long bin() {
        long memory = UNSAFE.allocateMemory(CHUNK_BYTES);
        UNSAFE.setMemory(memory, CHUNK_BYTES, (byte) 0);
        return memory;
    }

    @DontInline
    private static void nextChunk(ThreadState t) {
        if (t.chunk != 0) {
            Memory.storeInt(t.chunk + CHUNK_COUNT, t.used);
            Memory.storeInt(t.chunk + CHUNK_FULL, 1);
        }
        long chunk = Stream.newChunk(t.serial, t.chunks++);
        if (chunk == 0) {
            Stream.giveUp();
            chunk = bin();
        }
        t.chunk = chunk;
        t.used = 0;
    }

    /** Writes one record as it is. */
    static void put(ThreadState t, long what, long argument) {
        if (t.chunk == 0 || t.used == RECORDS)
            nextChunk(t);
        long at = t.chunk + CHUNK_FIRST + 16L * t.used++;
        UNSAFE.putLong(at, what);
        UNSAFE.putLong(at + 8, argument);
        t.position++;
    }

    @DontInline
    private static void putSequenced(ThreadState t, long what, long argument) {
        long sequence = t.pendingSequence;
        if (sequence - t.emittedSequence < 65536 && argument >>> SEQUENCE_AT == 0) {
            put(t, what | SEQUENCED, argument | sequence << SEQUENCE_AT);
        } else {
            put(t, what(SEQUENCE, 0, 0), sequence);
            put(t, what, argument);
        }
        t.pendingSequence = 0;
        t.emittedSequence = sequence;
        t.newEpoch();
    }

    /** Writes one record; publish() makes it visible. */
    static void emit(ThreadState t, long what, long argument) {
        if (t.ahead != 0)
            t.frames.emitBoarded();
        if (t.pendingSequence != 0)
            putSequenced(t, what, argument);
        else
            put(t, what, argument);
    }

    static void publish(ThreadState t) {
        if (t.chunk != 0)
            Memory.storeInt(t.chunk + CHUNK_COUNT, t.used);
    }

    /** The thread has ended. */
    static void finish(ThreadState t) {
        if (t.chunk != 0)
            Memory.storeInt(t.chunk + CHUNK_FULL, 1);
    }

    static long takeSequence(ThreadState t) {
        long sequence = Stream.takeSequence();
        t.sequence = t.pendingSequence = sequence;
        Slots.note(t, sequence);
        return sequence;
    }

    static void observe(ThreadState t, long sequence) {
        if (sequence <= t.sequence)
            return;
        t.sequence = t.emittedSequence = sequence;
        emit(t, what(OBSERVE, 0, 0), sequence);
    }

    static void access(ThreadState t, long address, long bytes, boolean write, int site) {
        emit(t, what(write ? WRITE : READ, bytes <= 16 ? (int) bytes : 0, address), Sites.pc(site));
        if (bytes > 16)
            emit(t, what(LENGTH, 0, 0), bytes);
    }

    static void text(ThreadState t, long id, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, 65536);
        emit(t, what(TEXT, 0, length), id);
        for (int at = 0; at < length; at += 16)
            emit(t, pack(bytes, at, length), pack(bytes, at + 8, length));
    }

    private static long pack(byte[] bytes, int at, int length) {
        long word = 0;
        for (int i = 0; i < 8 && at + i < length; i++)
            word |= (bytes[at + i] & 0xffL) << 8 * i;
        return word;
    }

    private Writer() {}
}
