/* Which open blocks of other threads happen before an event, and by which path each is known to.
 *
 * Nothing else of a vector clock is ever needed. A clock component of a thread without an open
 * block, or older than the begins of its open blocks, can prove no violation, now or later: blocks
 * that begin later have later times. So a set is as large as the number of open blocks that happen
 * before, and mostly empty, whatever the number of threads.
 *
 * Sets are immutable and shared by all accesses of a thread until it learns of another block. Items
 * about blocks that have ended are dead; they are skipped, and dropped when a set is copied.
 *
 * A large set is a tree, and sets that come from one another share parts of it: what a thread
 * learns by one edge it knows by the same hop, so a part that is all news is taken as it is, with a
 * note of how it arrived. 8,000 open blocks that each know of those before them take a few nodes
 * each. */
#ifndef SERIATIM_CHECK_WITNESS_OPEN_BEFORE_H
#define SERIATIM_CHECK_WITNESS_OPEN_BEFORE_H

#include "base/lower_bound.h"
#include "check/clock.h"
#include "check/pool.h"
#include "finding/finding.h"

/* ---- the open blocks of a thread, at every nesting depth ---- */

struct st_open_block {
    st_time time;     /* the thread's local time from its begin on; before it, times were smaller */
    uint32_t name;    /* or ST_NO_NAME */
    uint64_t begin;   /* event number */
    uint64_t loc;     /* of the begin */
    size_t violation; /* handle of its finding, or ST_NO_VIOLATION */
    bool start;       /* its thread starts with it */
    bool call_violated; /* this block or an earlier one of the same call was violated */
};

/* Invariant: items[0] is the outermost, and times grow. */
struct st_open_blocks {
    struct st_open_block *items;
    uint32_t depth, violated; /* the outermost `violated` of them were found violated */
    size_t capacity;
};

/* The index of the outermost block that is a transaction, or of the place for it. What a thread
 * starts with is none: its own events are transactions of their own, as if they were outside all
 * blocks. */
static inline uint32_t st_blocks_first(const struct st_open_blocks *blocks) {
    return blocks->depth && blocks->items[0].start;
}
static inline bool st_blocks_running(const struct st_open_blocks *blocks) {
    return blocks->depth > st_blocks_first(blocks);
}

/* Can some of them, the inner ones, still be found violated? */
static inline bool st_blocks_live(const struct st_open_blocks *blocks) {
    return blocks->depth > blocks->violated;
}

/* How many of the open blocks, counted from the outermost, had begun at that local time? 0 if all
 * of those were found violated before: nothing more can come of them. */
static inline uint32_t st_blocks_begun(const struct st_open_blocks *blocks, st_time time) {
    if (!st_blocks_live(blocks) || blocks->items[blocks->violated].time > time)
        return 0;
    if (blocks->items[blocks->depth - 1].time <= time)
        return blocks->depth;
    uint32_t begun;
    st_lower_bound(begun, blocks->violated + 1, blocks->depth - 1,
                   blocks->items[begun].time <= time);
    return begun;
}

/* ---- those that happen before an event ---- */

struct st_open_before;

/* The last edge of the paths by which blocks became known, all that did at once. The path of the
 * blocks of a thread goes on with what happened before the source: with the item of that thread in
 * `before`, unless the source is in that thread itself. */
struct st_hop {
    uint32_t mark;
    uint32_t thread;                     /* of the source */
    const struct st_open_before *before; /* may be NULL if the source is in the only such thread */
    struct st_edge edge;
};

/* What happens before, of one thread with an open block. */
struct st_before {
    uint32_t thread;
    st_time time;    /* the newest local time of that thread that happens before */
    st_time since;   /* our own local time since which a block of it, still open, happens before */
    uint32_t length; /* of the path */
    struct st_hop *path; /* its last edge; see st_hop_before for the others */
};

/* A set, or a part of one. Level 0: the items, by thread; our own thread is not among them. Above:
 * links to parts of the next lower level, or of level 0, by bits of the thread (open_before.c). */
struct st_open_before {
    uint32_t mark;
    uint32_t count; /* of items or links */
    uint32_t level;
    uint32_t parts; /* bit c: there is a link for the threads with these bits */
    struct st_before items[];
};

/* An event that another depends on, directly. */
struct st_predecessor {
    uint32_t thread;
    st_time time;
    const struct st_open_before *before; /* or NULL */
    struct st_edge edge;
};

/* Where sets and hops live. */
struct st_before_pool {
    struct st_pool hops;
    struct st_pool sets[32]; /* by the logarithm of the room for items */
    struct st_before *draft; /* items of a set in the making */
    size_t draft_capacity;
    bool kept_old; /* the set that was made last has the one that it comes from as a part */
    struct st_open_before **stack; /* scratch of st_open_before_mark */
    size_t stack_capacity;
    uint32_t epoch;
    size_t collect_at; /* bytes in use at which a collection pays */
};

void st_before_pool_init(struct st_before_pool *pool);
void st_before_pool_free(struct st_before_pool *pool);
size_t st_before_pool_memory(const struct st_before_pool *pool);

/* What happens before thread t from now on, if `old` did so far and the predecessor does now: a new
 * set, or `old` itself if the predecessor adds nothing. `blocks` are the open blocks by thread;
 * `next` is the local time that t gets if the set grows. *grew: more blocks happen before (and it
 * is not only a path that got shorter). */
struct st_open_before *st_open_before_join(struct st_before_pool *pool, struct st_open_before *old,
                                           uint32_t t, const struct st_predecessor *predecessor,
                                           const struct st_open_blocks *blocks, st_time next,
                                           bool *grew);

/* For a set in which `item` covers a predecessor at that time: is the direct path from there
 * shorter, and does it lead from as many blocks? Then st_open_before_shorten gives a set with it:
 * the same one, if it can be changed because nobody has seen it yet. */
bool st_before_is_longer(const struct st_before *item, st_time time,
                         const struct st_open_blocks *blocks);
struct st_open_before *st_open_before_shorten(struct st_before_pool *pool,
                                              struct st_open_before *set, bool unseen,
                                              const struct st_predecessor *predecessor);

/* Takes back a set that was just made and nobody has seen, unless it is part of another one. */
void st_open_before_give(struct st_before_pool *pool, struct st_open_before *set);

/* The edge before this one on the path of the blocks of the thread, or NULL. */
const struct st_hop *st_hop_before(const struct st_hop *hop, uint32_t thread);

/* The item of a thread, if there is one. */
bool st_open_before_find(const struct st_open_before *set, uint32_t thread, struct st_before *item);

/* The smallest `since` of what is not dead; ST_NEVER when all is. */
st_time st_open_before_since(const struct st_open_before *set, const struct st_open_blocks *blocks);

/* Do two sets have the same blocks, as far as these can still be found violated? */
bool st_open_before_same(const struct st_open_before *one, const struct st_open_before *other,
                         const struct st_open_blocks *blocks);

/* Collecting: when st_before_pool_full says so, st_before_pool_mark_begin, st_open_before_mark for
 * every set in use, st_before_pool_sweep. `root_bytes` is the size of the tables that have to be
 * walked for that: the next collection waits until as much was allocated. */
bool st_before_pool_full(const struct st_before_pool *pool);
void st_before_pool_mark_begin(struct st_before_pool *pool);
void st_open_before_mark(struct st_before_pool *pool, struct st_open_before *set,
                         const struct st_open_blocks *blocks);
void st_before_pool_sweep(struct st_before_pool *pool, size_t root_bytes);

#endif
