/* What an event knows: which blocks of other threads that are still open happen before it, and by
 * which way each became known.
 *
 * Nothing else of a vector clock is ever needed. A clock component of a thread without an open
 * block, or older than the begins of its open blocks, can prove no violation, now or later: the
 * blocks to come begin later still. So a set is as large as the number of open blocks that
 * happen before, mostly empty, whatever the number of threads.
 *
 * Sets are immutable and shared by all accesses of a thread until it learns something. Entries
 * about blocks that have ended are dead; they are skipped, and dropped when a set is copied. */
#ifndef SERIATIM_CHECK_WITNESS_OPEN_BEFORE_H
#define SERIATIM_CHECK_WITNESS_OPEN_BEFORE_H

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
};

/* Invariant: items[0] is the outermost, and times grow. */
struct st_blocks {
    struct st_open_block *items;
    uint32_t depth, cut; /* cut: that many of them, the outermost ones, were found violated */
    size_t capacity;
};

/* Those of them that can still be found violated: the inner ones. */
static inline bool st_blocks_live(const struct st_blocks *blocks) {
    return blocks->depth > blocks->cut;
}

/* Who knows the thread at that local time knows the begins of how many of them, counted from the
 * outermost? 0 if all of those were found violated before: nothing more can come of that. */
static inline uint32_t st_blocks_known(const struct st_blocks *blocks, st_time time) {
    if (!st_blocks_live(blocks) || blocks->items[blocks->cut].time > time)
        return 0;
    if (blocks->items[blocks->depth - 1].time <= time)
        return blocks->depth;
    uint32_t known = blocks->cut + 1, unknown = blocks->depth - 1;
    while (known < unknown) {
        uint32_t middle = known + (unknown - known) / 2;
        if (blocks->items[middle].time <= time)
            known = middle + 1;
        else
            unknown = middle;
    }
    return known;
}

/* ---- those that happen before an event ---- */

/* The last edge of the way from a block of a thread to an event, and the way to its source. */
struct st_hop {
    uint32_t mark;
    struct st_hop *before; /* NULL: the source is in the thread of the block itself */
    struct st_edge edge;
};

struct st_knows {
    uint32_t thread;
    st_time time;    /* the newest local time of that thread that happens before, and ... */
    st_time since;   /* the own local time since which a block of it that is still open is known */
    uint32_t length; /* of the way */
    struct st_hop *how;
};

struct st_known {
    uint32_t mark;
    uint32_t count;
    struct st_knows items[]; /* by thread; the own thread is not among them */
};

/* Somebody who passes on what it knows, along an edge. */
struct st_teller {
    uint32_t thread;
    st_time time;
    const struct st_known *known; /* or NULL */
    struct st_edge edge;
};

struct st_knowledge {
    struct st_pool hops;
    struct st_pool sets[32]; /* by the logarithm of the room for items */
    struct st_knows *draft;  /* a set in the making */
    size_t draft_capacity;
    uint32_t epoch;
    size_t collect_at; /* bytes in use at which collecting is worth its while */
};

void st_knowledge_init(struct st_knowledge *knowledge);
void st_knowledge_free(struct st_knowledge *knowledge);
size_t st_knowledge_memory(const struct st_knowledge *knowledge);

/* What thread t, which knows `old`, knows when it was told: a new set, or `old` itself if that is
 * no less. `blocks` are the open blocks by thread; `next` is the local time that t gets if it
 * learns something. *news: it knows more blocks now (and not only a shorter way to them). */
struct st_known *st_known_learn(struct st_knowledge *knowledge, struct st_known *old, uint32_t t,
                                const struct st_teller *teller, const struct st_blocks *blocks,
                                st_time next, bool *news);

/* For a thread that knows the teller at that time or a later one, `knows` being what it knows of
 * it: is the direct way shorter, and does it lead from as many blocks? Then st_known_shorten takes
 * it, in a set that nobody has seen yet. */
bool st_known_longer(const struct st_knows *knows, st_time time, const struct st_blocks *blocks);
void st_known_shorten(struct st_knowledge *knowledge, struct st_known *known,
                      const struct st_teller *teller);
struct st_known *st_known_copy(struct st_knowledge *knowledge, const struct st_known *known);

/* Takes back a set that was just made and nobody has seen. */
void st_known_give(struct st_knowledge *knowledge, struct st_known *known);

/* What the set knows of a thread, or NULL. */
const struct st_knows *st_known_find(const struct st_known *known, uint32_t thread);

/* The smallest `since` of what is not dead; ST_NEVER when all is. */
st_time st_known_since(const struct st_known *known, const struct st_blocks *blocks);

/* Do two sets know the same of all blocks that can still be found violated? */
bool st_known_alike(const struct st_known *one, const struct st_known *other,
                    const struct st_blocks *blocks);

/* Collecting: when st_knowledge_full says so, st_knowledge_mark_begin, st_known_mark for every set
 * in use, st_knowledge_sweep. `root_bytes` is the size of the tables that have to be walked for
 * that: the next collection waits until as much was allocated. */
bool st_knowledge_full(const struct st_knowledge *knowledge);
void st_knowledge_mark_begin(struct st_knowledge *knowledge);
void st_known_mark(struct st_knowledge *knowledge, struct st_known *known,
                   const struct st_blocks *blocks);
void st_knowledge_sweep(struct st_knowledge *knowledge, size_t root_bytes);

#endif
