/* Where a block might be cut, from the logs of earlier runs.
 *
 * A candidate is (first, other, last): a block passes the site `first`, and before it comes to a
 * later access of its own, another thread passes `other` and then `last`, which conflict with the
 * first and the later one. For one variable `other` and `last` are the same. What a lock rules out,
 * because the block holds it all the time and the other thread needs it, is no candidate. */
#ifndef SERIATIM_HUNT_CANDIDATES_H
#define SERIATIM_HUNT_CANDIDATES_H

#include "stream/control.h"

#include <stdbool.h>
#include <stddef.h>

enum { ST_MOST_CANDIDATES = 4000, ST_MOST_STALLS = 1000 };

struct st_candidate {
    uint64_t first, other, last;
    uint64_t block; /* a site in it */
    uint32_t tries;
    uint32_t in_vain; /* so often another thread came in between, and nothing was cut */
};

/* A site in a block after which the block can be held. With an order, what the first thread of it
 * did before may come back to it through the others, from each to the next (st_control_hold). */
struct st_stall {
    uint64_t first;
    uint32_t tries;
    uint32_t order_count;
    uint64_t order[ST_CONTROL_ORDER];
};

/* All zero is empty. Invariant: no two candidates have the same sites, nor have two stalls with the
 * same order. */
struct st_candidates {
    struct st_candidate *list;
    size_t count, capacity;
    struct st_stall *stalls;
    size_t stall_count, stall_capacity;
    uint64_t stall_turns; /* those with an order and those without take turns */
};

void st_candidates_free(struct st_candidates *candidates);

/* Adds what is new in the log. */
void st_candidates_add_log(struct st_candidates *candidates, const struct st_control_log *log);

/* Likewise. */
void st_candidates_add_stall(struct st_candidates *candidates, const struct st_stall *stall);

/* Adds one; nothing when it is there, or when there are too many. */
void st_candidates_add(struct st_candidates *candidates, const struct st_candidate *candidate);

/* The one to try next, and counts the try: those that were tried least come first, then those of
 * blocks that were. NULL: there is none. */
struct st_candidate *st_candidates_next(struct st_candidates *candidates);
struct st_stall *st_candidates_next_stall(struct st_candidates *candidates);

#endif
