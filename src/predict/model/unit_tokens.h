/* A running unit: its tokens as they come, without repetitions.
 *
 * Trimming (PPoPP 2006, 7.2): of the accesses to a variable directly in one critical section (or
 * directly in the unit), only the first two reads and the first two writes matter. For
 * view-atomicity, the unit's last write of each variable matters, too, which the paper overlooks.
 *
 * We go a step further, so that a loop of critical sections does not make a unit as long as the
 * run: of equal critical sections in the same place, we keep the first two and the last. Two are
 * enough, because whatever can come between the accesses of one can come between the two. The last
 * is kept for the last writes. Where a lock is released that was acquired before the section (or
 * before the unit), another section begins for this purpose: other threads can come then.
 * tests/reference/foresee.c compares analyses with and without trimming. */
#ifndef SERIATIM_PREDICT_MODEL_UNIT_TOKENS_H
#define SERIATIM_PREDICT_MODEL_UNIT_TOKENS_H

#include "base/intern.h"
#include "predict/model/shapes.h"

#include <stdbool.h>

/* A token that is kept, and where it was seen. */
struct st_seen_token {
    struct st_token token;
    uint64_t number, loc;
};

/* The tokens of a unit, and the locks that its thread holds when it begins, in the order of their
 * acquires. */
struct st_locked_tokens {
    const uint32_t *held;
    size_t held_count;
    const struct st_seen_token *tokens;
    size_t count;
};

/* An open critical section. */
struct st_open_section {
    uint64_t number; /* the event that opened it */
    uint32_t lock;
    uint32_t node;
    bool crossed; /* a section opened earlier was closed earlier: it is never dropped */
};

/* How often something was seen in one place. */
struct st_token_count {
    uint64_t seen;
    uint64_t number, loc; /* of the last one: its first event */
    uint64_t first_end;   /* for an equal critical section: the event that closed the last one */
    struct st_token token;
    bool dropped; /* the last one is not among the tokens */
};

struct st_unit_tokens {
    bool whole; /* keep repetitions, for comparison */
    struct st_seen_token *tokens;
    size_t count, capacity;
    struct st_open_section *sections;
    size_t depth, section_capacity;
    uint32_t node, next_node;      /* of the unit itself; 0 at first */
    struct st_intern places;       /* where something was seen, and what it is */
    struct st_token_count *counts; /* by number in `places` */
    size_t count_capacity;
};

void st_unit_tokens_init(struct st_unit_tokens *unit, bool whole);
void st_unit_tokens_free(struct st_unit_tokens *unit);

/* Starts a new unit. */
void st_unit_tokens_clear(struct st_unit_tokens *unit);

/* Adds any token other than ST_TOKEN_ACQUIRE and ST_TOKEN_RELEASE. */
void st_unit_tokens_add(struct st_unit_tokens *unit, struct st_token token, uint64_t number,
                        uint64_t loc);
void st_unit_tokens_acquire(struct st_unit_tokens *unit, uint32_t lock, uint64_t number,
                            uint64_t loc);
void st_unit_tokens_release(struct st_unit_tokens *unit, uint32_t lock, uint64_t number,
                            uint64_t loc);

/* Ends the unit: tokens[0 .. count) is what it did. */
void st_unit_tokens_finish(struct st_unit_tokens *unit);

#endif
