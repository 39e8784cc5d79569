#define _GNU_SOURCE
#include "runtime/core/stream_writer.h"
#include "runtime/core/call_stack.h"
#include "runtime/core/system_call.h"
#include "runtime/core/thread_slot.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- chunks ---- */

void rt_sleep_on(_Atomic uint32_t *word, uint32_t value) {
    struct timespec timeout = {.tv_nsec = 20 * 1000 * 1000};
    rt_system_call(SYS_futex, (long)word, FUTEX_WAIT, value, (long)&timeout, 0, 0);
}

/* Sleeps until the watcher has given a chunk back, or some time has passed. */
static void wait_for_chunk(struct st_stream_head *head) {
    uint32_t word = atomic_load(&head->free_word);
    atomic_fetch_add(&head->waiting, 1);
    if ((uint32_t)atomic_load(&head->free_top) == 0)
        rt_sleep_on(&head->free_word, word);
    atomic_fetch_sub(&head->waiting, 1);
}

/* Then nobody will give chunks back. For kill(), a process that was killed is still there until its
 * parent has asked how it ended, so kill() is only used where the mutex is not held. */
bool rt_watcher_is_gone(void) {
    uint32_t word = atomic_load(&rt_head->alive.word);
    if (word & FUTEX_OWNER_DIED)
        return true;
    return !(word & FUTEX_TID_MASK) &&
           rt_system_call(SYS_kill, (long)rt_head->watcher, 0, 0, 0, 0, 0) == -ESRCH;
}

static struct st_stream_chunk *new_chunk(struct rt_thread *t) {
    struct st_stream_head *head = rt_head;
    int64_t index;
    while ((index = st_stream_take_chunk(head)) < 0) {
        if (atomic_load(&head->closed) || rt_watcher_is_gone())
            return NULL;
        wait_for_chunk(head);
    }
    struct st_stream_chunk *chunk = st_stream_chunk(head, (uint32_t)index);
    atomic_store_explicit(&chunk->count, 0, memory_order_relaxed);
    atomic_store_explicit(&chunk->full, 0, memory_order_relaxed);
    chunk->thread = t->serial;
    chunk->index = t->chunks++;
    uint32_t position = atomic_fetch_add(&head->announced, 1) % head->chunk_count;
    atomic_store_explicit(&st_stream_announcements(head)[position], (uint32_t)index + 1,
                          memory_order_release);
    return chunk;
}

/* Where records go when nobody reads them any more. */
static struct st_stream_chunk bin;

static __attribute__((noinline)) void next_chunk(struct rt_thread *t) {
    int error = errno;
    if (t->chunk && t->chunk != &bin) {
        atomic_store_explicit(&t->chunk->count, t->used, memory_order_release);
        atomic_store_explicit(&t->chunk->full, 1, memory_order_release);
    }
    struct st_stream_chunk *chunk = rt_head && !atomic_load(&rt_head->closed) ? new_chunk(t) : NULL;
    if (!chunk)
        rt_give_up();
    t->chunk = chunk ? chunk : &bin;
    t->used = 0;
    errno = error;
}

static void write_record(struct rt_thread *t, struct st_stream_record record) {
    if (__builtin_expect(!t->chunk || t->used == ST_STREAM_RECORDS, 0))
        next_chunk(t);
    t->chunk->records[t->used++] = record;
    t->position++;
}

void rt_write_record(struct rt_thread *t, uint64_t what, uint64_t argument) {
    write_record(t, (struct st_stream_record){what, argument});
}

/* A sequence number ends an epoch (thread_slot.c). */
static void write_sequenced(struct rt_thread *t, struct st_stream_record record) {
    uint64_t sequence = t->pending_sequence;
    if (sequence - t->emitted_sequence < 65536 && !(record.argument >> ST_STREAM_SEQUENCE_AT)) {
        write_record(t, st_stream_with_sequence(record, sequence));
    } else {
        write_record(t,
                     (struct st_stream_record){st_stream_what(ST_STREAM_SEQUENCE, 0, 0), sequence});
        write_record(t, record);
    }
    t->pending_sequence = 0;
    t->emitted_sequence = sequence;
    rt_new_epoch(t);
}

void rt_emit_slow(struct rt_thread *t, uint64_t what, uint64_t argument) {
    struct st_stream_record record = {what, argument};
    if (t->ahead)
        rt_emit_boarded(t);
    if (t->pending_sequence)
        write_sequenced(t, record);
    else
        write_record(t, record);
}

/* ---- sequence numbers ---- */

uint64_t rt_take_sequence(struct rt_thread *t) {
    uint64_t sequence = atomic_fetch_add(&rt_head->next_sequence, 1);
    t->sequence = t->pending_sequence = sequence;
    rt_note_sequence(t, sequence);
    return sequence;
}

void rt_observe(struct rt_thread *t, uint64_t sequence) {
    if (sequence <= t->sequence)
        return;
    t->sequence = t->emitted_sequence = sequence;
    rt_emit(t, st_stream_what(ST_STREAM_OBSERVE, 0, 0), sequence);
}

void rt_emit_order(struct rt_thread *t, const struct rt_need *need) {
    rt_observe(t, need->observe);
    if (need->sequence)
        rt_take_sequence(t);
}

void rt_emit_access(struct rt_thread *t, uintptr_t address, size_t size, bool write, unsigned flags,
                    uintptr_t caller) {
    enum st_stream_op op = write ? ST_STREAM_WRITE : ST_STREAM_READ;
    bool small = size <= 16;
    rt_emit(t, st_stream_what(op, (small ? (unsigned)size : 0) | flags, address), caller);
    if (!small)
        rt_emit(t, st_stream_what(ST_STREAM_LENGTH, 0, 0), size);
}

void rt_emit_valued_access(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                           uint64_t held, uintptr_t caller) {
    const unsigned flags = ST_STREAM_WITH_VALUES | ST_STREAM_SETTLED;
    rt_emit_access(t, address, size, write, flags, caller);
    rt_emit(t, st_stream_what(ST_STREAM_VALUES, 0, 0), held);
}

/* ---- texts ---- */

static size_t length_of(const char *text) {
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

void rt_emit_text(struct rt_thread *t, uint64_t id, const char *text) {
    size_t length = length_of(text);
    rt_emit(t, st_stream_what(ST_STREAM_TEXT, 0, length), id);
    for (size_t at = 0; at < length; at += 16) {
        struct st_stream_record raw = {0, 0};
        for (size_t i = 0; i < 16 && at + i < length; i++)
            ((char *)&raw)[i] = text[at + i];
        rt_emit(t, raw.what, raw.argument);
    }
}
