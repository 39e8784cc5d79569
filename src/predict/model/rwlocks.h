/* Reader-writer locks and semaphores, which a trace represents by channels, as locks.
 *
 * **Which channels.** A trace does not say what a channel is used for (docs/trace-format.md,
 * "Channels"), but a reader-writer lock has a recognisable shape. A write lock receives from two
 * channels, one directly after the other and on the same line, and there are no other receives from
 * the second one. Each send to the first channel ends a section that began that way. Each send to
 * the second ends a section that began with a receive from the first alone. And the sections
 * exclude each other as those of such a lock do.
 *
 * **As locks.** The analyses have no shared locks, but they allow any number of locks. A
 * reader-writer lock l becomes a lock l that writers hold, and a lock (l, t) for each thread t that
 * ever reads under it. A read section of t holds (l, t), and a write section holds l and all the
 * (l, t). So two write sections have l in common, a read section of t and a write section have (l,
 * t), and read sections of different threads have nothing: sections exclude each other exactly as
 * before. (A writer takes all its locks at once. The search for deadlocks, where it matters that a
 * writer does not hold some of them while it waits for others, has to allow for that.)
 *
 * The cost: a write section becomes one critical section for each reader, plus one.
 *
 * **Semaphores** that are used as locks have channels whose names say so (trace/channels.h). Such a
 * semaphore is a reader-writer lock without readers and without a second channel: a receive
 * acquires it, a send releases it. It is none if several threads can hold it at once, if somebody
 * posts it who does not hold it, or if sections overlap.
 *
 *     first pass:  st_rwlocks_event(...) at all events; then st_rwlocks_number(...)
 *     other passes: st_rwlocks_translate(...) at all events; then st_rwlocks_drop_broken(...), and
 *                   if that is true, the pass has to be repeated */
#ifndef SERIATIM_PREDICT_MODEL_RWLOCKS_H
#define SERIATIM_PREDICT_MODEL_RWLOCKS_H

#include "base/bits.h"
#include "base/map64.h"
#include "trace/channels.h"
#include "trace/event.h"

struct st_rw_channel {
    uint32_t read;    /* plus 1: the channel received from directly after this one */
    uint32_t written; /* plus 1: the channel received from directly before this one */
    bool alone;       /* some receive is not part of a write lock */
    bool broken;
    bool semaphore;  /* that one thread can hold: it has no second channel */
    uint32_t rwlock; /* plus 1, once it is known */
};

struct st_rwlock {
    uint32_t written, read; /* channels; the same one if it is a semaphore */
    uint32_t first_reader, reader_count;
    uint32_t writer; /* plus 1: the thread that holds it for writing */
    uint32_t inside; /* number of threads that hold it for reading */
};

/* A thread that reads under a lock. */
struct st_rw_reader {
    uint32_t rwlock, thread;
    uint32_t depth; /* number of read locks that it holds */
};

/* An event, and its number in the trace. */
struct st_rw_step {
    struct st_event event;
    uint64_t number;
};

struct st_rwlocks {
    const struct st_channels *kinds; /* what names say of channels; NULL: nothing */
    struct st_bits signalled;        /* locks of `kinds` that somebody posts without holding them */
    struct st_rw_channel *channels;
    size_t channel_count, channel_capacity;
    struct st_rw_step
        *pending; /* by thread: a receive that may be the first of two; number 0: none */
    size_t pending_capacity;
    struct st_map64 pairs; /* of a channel and a thread that receives from it alone */
    struct st_rwlock *items;
    size_t count;
    struct st_rw_reader *readers; /* those of one lock are adjacent */
    size_t reader_count;
    uint32_t *reader_of; /* by number of the pair: the reader, or ST_MAP64_NONE */
    uint32_t first_lock; /* item i has this number plus i; the readers' locks follow those of all
                          * items */
    bool dropping;
    struct st_rw_step *steps;
    size_t step_count, step_capacity;
};

void st_rwlocks_init(struct st_rwlocks *rwlocks, const struct st_channels *kinds);
void st_rwlocks_free(struct st_rwlocks *rwlocks);

void st_rwlocks_event(struct st_rwlocks *rwlocks, const struct st_event *event);

/* Called after the first pass. The locks of the trace have numbers below first_lock. */
void st_rwlocks_number(struct st_rwlocks *rwlocks, uint32_t first_lock);

/* Fills `steps` with what the event becomes: itself, or any number of lock operations, even none.
 * If only the next event of its thread shows what an event means, it is delivered late, with its
 * own number. */
void st_rwlocks_translate(struct st_rwlocks *rwlocks, const struct st_event *event,
                          uint64_t number);

/* Ends the pass. True if some channels turned out not to be locks; they are not treated as locks
 * any more. */
bool st_rwlocks_drop_broken(struct st_rwlocks *rwlocks);

/* How many locks they add. */
static inline uint32_t st_rwlocks_lock_count(const struct st_rwlocks *rwlocks) {
    return (uint32_t)(rwlocks->count + rwlocks->reader_count);
}

/* Is the lock one of these? If so, it is replaced by the lock l that it is part of. */
bool st_rwlocks_find(const struct st_rwlocks *rwlocks, uint32_t *lock);

/* Turns an acquire or release by the thread back into the event of the trace. Operations on other
 * locks are left alone. */
void st_rwlocks_restore(const struct st_rwlocks *rwlocks, struct st_event *event);

#endif
