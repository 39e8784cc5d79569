/* The open blocks of a thread, at every nesting depth. */
#ifndef SERIATIM_CHECK_WITNESS_OPEN_BLOCKS_H
#define SERIATIM_CHECK_WITNESS_OPEN_BLOCKS_H

#include "check/clock.h"

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

#endif
