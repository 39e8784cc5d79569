/* A unit while it runs: its tokens as they come, without repetitions.
 *
 * Trimming (PPoPP 2006, 7.2): of the accesses to a variable directly in one critical section (or
 * directly in the unit), only the first two reads and the first two writes matter. For
 * view-atomicity the unit's last write of each variable matters, too, which the paper overlooks.
 *
 * We go a step further, so that a loop of critical sections does not make a unit as long as the
 * run: of equal critical sections in the same place, the first two and the last are kept. Two are
 * enough because whoever can come between the accesses of one can come between the two; the last
 * is kept for the last writes. tests/reference/foresee.c compares analyses with and without. */
#ifndef SERIATIM_PREDICT_MODEL_UNIT_DRAFT_H
#define SERIATIM_PREDICT_MODEL_UNIT_DRAFT_H

#include "base/map64.h"
#include "predict/model/shapes.h"

#include <stdbool.h>

/* A token that is kept, and where it was seen. */
struct st_draft_token {
    struct st_token token;
    uint64_t number, loc;
};

/* A critical section that is open. */
struct st_draft_section {
    uint64_t number; /* the event that opened it */
    uint32_t lock;
    uint32_t node;
    bool crossed; /* one that was opened before it was closed before it: it is never dropped */
};

/* How often something was seen in one place. */
struct st_draft_count {
    uint64_t seen;
    uint64_t number, loc; /* of the last one: its first event */
    uint64_t first_end;   /* of an equal critical section: the event that closed the last one */
    struct st_token token;
    bool dropped; /* the last one is not among the tokens */
};

struct st_draft {
    bool whole; /* keep repetitions, for comparison */
    struct st_draft_token *tokens;
    size_t count, capacity;
    struct st_draft_section *sections;
    size_t depth, section_capacity;
    uint32_t next_node; /* the unit itself is node 0 */
    struct st_map64 places;
    struct st_draft_count *counts; /* by number in `places` */
    size_t count_capacity;
};

void st_draft_init(struct st_draft *draft, bool whole);
void st_draft_free(struct st_draft *draft);

/* Starts a new unit. */
void st_draft_clear(struct st_draft *draft);

/* Any token but ST_TOKEN_ACQUIRE and ST_TOKEN_RELEASE. */
void st_draft_add(struct st_draft *draft, struct st_token token, uint64_t number, uint64_t loc);
void st_draft_acquire(struct st_draft *draft, uint32_t lock, uint64_t number, uint64_t loc);
void st_draft_release(struct st_draft *draft, uint32_t lock, uint64_t number, uint64_t loc);

/* The unit ends: tokens[0 .. count) is what it did. */
void st_draft_finish(struct st_draft *draft);

#endif
