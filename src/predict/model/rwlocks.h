/* Reader-writer locks, which a trace has as channels, as locks.
 *
 * **Which channels.** A trace does not say what a channel is used for (docs/trace-format.md,
 * "Channels"), but a reader-writer lock is known by its shape: a write lock receives from two
 * channels, one directly behind the other and in the same line, and nobody receives from the second
 * one otherwise; each send to the first ends a section that began so, and each send to the second
 * a section that began with a receive from the first alone; and the sections are apart as those of
 * such a lock are.
 *
 * **As locks.** The analyses know no locks that can be shared. But they know any number of locks. A
 * reader-writer lock l becomes a lock l that writers hold, and a lock (l, t) for each thread t that
 * ever reads under it. A read section of t holds (l, t), and a write section holds l and all of
 * them. So two write sections have l in common, a read section of t and a write section have
 * (l, t), and read sections of different threads have nothing: sections exclude each other exactly
 * when they did before. (A writer takes all its locks at once. Where it matters that it does not
 * hold some of them while it waits for others, that is in the search for deadlocks, one has to see
 * to that.)
 *
 * What it costs: a write section becomes as many critical sections as there are readers, and one.
 *
 *     first pass:  st_rwlocks_look(...) at all events; then st_rwlocks_settle(...)
 *     other passes: st_rwlocks_turn(...) at all events; then st_rwlocks_drop_broken(...), and if
 *                   that is true, the pass was for nothing */
#ifndef SERIATIM_PREDICT_MODEL_RWLOCKS_H
#define SERIATIM_PREDICT_MODEL_RWLOCKS_H

#include "base/map64.h"
#include "trace/event.h"

struct st_rw_channel {
    uint32_t read;    /* the channel plus 1 that was received from directly behind it */
    uint32_t written; /* the other way round */
    bool alone;       /* some receive is no part of a write lock */
    bool broken;
    uint32_t rwlock; /* plus 1, once that is settled */
};

struct st_rwlock {
    uint32_t written, read; /* channels */
    uint32_t first_reader, reader_count;
    uint32_t writer; /* the thread plus 1 that holds it for writing */
    uint32_t inside; /* how many threads hold it for reading */
};

/* A thread that reads under a lock. */
struct st_rw_reader {
    uint32_t rwlock, thread;
    uint32_t depth; /* of read locks that it holds */
};

/* An event, and its number in the trace. */
struct st_rw_step {
    struct st_event event;
    uint64_t number;
};

struct st_rwlocks {
    struct st_rw_channel *channels;
    size_t channel_count, channel_capacity;
    struct st_rw_step
        *pending; /* by thread: a receive that may be the first of two; number 0: no */
    size_t pending_capacity;
    struct st_map64 pairs; /* of a channel and a thread that receives from it alone */
    struct st_rwlock *items;
    size_t count;
    struct st_rw_reader *readers; /* those of one lock are together */
    size_t reader_count;
    uint32_t *reader_of; /* by number of the pair: the reader, or ST_MAP64_NONE */
    uint32_t first_lock; /* item i is this lock plus i, reader j comes j behind all items */
    bool dropping;
    struct st_rw_step *steps;
    size_t step_count, step_capacity;
};

void st_rwlocks_init(struct st_rwlocks *rwlocks);
void st_rwlocks_free(struct st_rwlocks *rwlocks);

void st_rwlocks_look(struct st_rwlocks *rwlocks, const struct st_event *event);

/* The trace has been looked at, and its locks have numbers below first_lock. */
void st_rwlocks_settle(struct st_rwlocks *rwlocks, uint32_t first_lock);

/* Fills `steps` with what the event becomes: itself, or one or more or no operations of locks. What
 * is told late, because only the next event of the thread shows what it was, comes with the number
 * that it had. */
void st_rwlocks_turn(struct st_rwlocks *rwlocks, const struct st_event *event, uint64_t number);

/* The pass is over. True if some locks turned out to be none, and are none from now on. */
bool st_rwlocks_drop_broken(struct st_rwlocks *rwlocks);

/* How many locks there are because of them. */
static inline uint32_t st_rwlocks_lock_count(const struct st_rwlocks *rwlocks) {
    return (uint32_t)(rwlocks->count + rwlocks->reader_count);
}

/* Is the lock one of them? Then it becomes the lock l that it is a part of. */
bool st_rwlocks_find(const struct st_rwlocks *rwlocks, uint32_t *lock);

/* Turns an acquire or release by the thread back into the event of the trace. Those of other locks
 * stay as they are. */
void st_rwlocks_tell(const struct st_rwlocks *rwlocks, struct st_event *event);

#endif
