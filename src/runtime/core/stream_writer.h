/* The stream of a thread: records, chunks and sequence numbers. */
#ifndef SERIATIM_RUNTIME_CORE_STREAM_WRITER_H
#define SERIATIM_RUNTIME_CORE_STREAM_WRITER_H

#include "runtime/core/thread_state.h"

void rt_emit_slow(struct rt_thread *t, uint64_t what, uint64_t argument);

/* Writes one record; rt_publish makes it visible to the watcher. */
static inline void rt_emit(struct rt_thread *t, uint64_t what, uint64_t argument) {
    if (__builtin_expect(
            (t->pending_sequence | t->ahead) || !t->chunk || t->used == ST_STREAM_RECORDS, 0)) {
        rt_emit_slow(t, what, argument);
        return;
    }
    t->chunk->records[t->used++] = (struct st_stream_record){what, argument};
    t->position++;
}

/* Write one record as it is: for what has to come before the pending sequence number. */
void rt_write_record(struct rt_thread *t, uint64_t what, uint64_t argument);
static inline void rt_put_record(struct rt_thread *t, uint64_t what, uint64_t argument) {
    if (__builtin_expect(!t->chunk || t->used == ST_STREAM_RECORDS, 0)) {
        rt_write_record(t, what, argument);
        return;
    }
    t->chunk->records[t->used++] = (struct st_stream_record){what, argument};
    t->position++;
}

/* The same, and no epoch passes: nor need anything that is boarded be emitted before. */
static inline void rt_write_quietly(struct rt_thread *t, uint64_t what, uint64_t argument) {
    rt_put_record(t, what, argument);
    t->base--;
}

static inline void rt_publish(struct rt_thread *t) {
    if (t->chunk)
        atomic_store_explicit(&t->chunk->count, t->used, memory_order_release);
}

/* The bytes of a text, as records. */
void rt_emit_text(struct rt_thread *t, uint64_t id, const char *text);

/* The next record gets the next sequence number. */
uint64_t rt_take_sequence(struct rt_thread *t);

/* What follows happens after that sequence number. */
void rt_observe(struct rt_thread *t, uint64_t sequence);

/* What has to be emitted for an access. */
struct rt_need {
    bool access;      /* the access itself */
    bool sequence;    /* a sequence number, for whatever is emitted first */
    uint64_t observe; /* it happens after this sequence number; 0: nothing */
};

/* Observes and takes what is needed; the records follow. */
void rt_emit_order(struct rt_thread *t, const struct rt_need *need);

/* flags: ST_STREAM_SETTLED, or 0. */
void rt_emit_access(struct rt_thread *t, uintptr_t address, size_t size, bool write, unsigned flags,
                    uintptr_t caller);
/* The same for at most 8 bytes that held this value, where all is settled. */
void rt_emit_valued_access(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                           uint64_t held, uintptr_t caller);

/* Sleeps while the word has this value, or until some time has passed: the watcher may be gone. */
void rt_sleep_on(_Atomic uint32_t *word, uint32_t value);
bool rt_watcher_is_gone(void);

#endif
