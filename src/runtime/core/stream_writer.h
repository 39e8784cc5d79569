/* Telling: records, chunks and numbers. */
#ifndef SERIATIM_RUNTIME_CORE_STREAM_WRITER_H
#define SERIATIM_RUNTIME_CORE_STREAM_WRITER_H

#include "runtime/core/thread_state.h"

/* Puts one record; rt_publish makes it visible. */
void rt_put_slow(struct rt_thread *t, uint64_t what, uint64_t argument);

static inline void rt_put(struct rt_thread *t, uint64_t what, uint64_t argument) {
    if (__builtin_expect(t->pending || !t->chunk || t->used == ST_STREAM_RECORDS, 0)) {
        rt_put_slow(t, what, argument);
        return;
    }
    t->chunk->records[t->used++] = (struct st_stream_record){what, argument};
    t->position++;
}

static inline void rt_publish(struct rt_thread *t) {
    if (t->chunk)
        atomic_store_explicit(&t->chunk->count, t->used, memory_order_release);
}

/* The bytes of a text, as records. */
void rt_put_text(struct rt_thread *t, uint64_t number, const char *text);

/* The next record put has a new number. */
uint64_t rt_draw(struct rt_thread *t);

/* What follows happens after that number. */
void rt_observe(struct rt_thread *t, uint64_t number);

/* What an access has to tell. */
struct rt_need {
    bool tell;        /* the access itself */
    bool number;      /* something needs one */
    uint64_t observe; /* it happens after this one */
};

void rt_announce(struct rt_thread *t, const struct rt_need *need);
void rt_put_access(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                   uintptr_t caller);

#endif
