/* IR-FW(T) of Theorem 5: the run as a sequence of steps for each thread, with synchronisation,
 * initial reads and final writes only; and its parts that can be explored apart from each other.
 * Parts in which locks are held from unit to unit have all accesses. blocks_plan.h says which files
 * make all this. */
#ifndef SERIATIM_PREDICT_BLOCKS_EXACT_EXACT_STEPS_H
#define SERIATIM_PREDICT_BLOCKS_EXACT_EXACT_STEPS_H

#include "predict/blocks/blocks.h"

struct st_step {
    uint32_t kind;   /* ST_TOKEN_READ, _WRITE, _ACQUIRE or _RELEASE */
    uint32_t target; /* a number below st_group.variable_count or .lock_count */
    uint32_t held;   /* lockset; of an acquire or release, of other locks */
    uint32_t item;
    bool core;    /* synchronisation, an initial read or a final write */
    bool lasting; /* an acquire or release of a critical section that lasts from item to item */
    struct st_spot spot;
};

static inline bool st_is_access_step(const struct st_step *step) {
    return step->kind == ST_TOKEN_READ || step->kind == ST_TOKEN_WRITE;
}

/* An occurrence of a unit that has steps. */
struct st_item {
    uint32_t unit, lane;
    size_t first, end; /* steps of the lane */
};

/* When the items of a lane that have the same periods may run. By lane: steps that must have been
 * made before, and the first step that must wait for them. */
struct st_window {
    uint32_t first_period, last_period;
    size_t *from, *until;
};

/* Where a lane accesses a variable, or acquires a lock, in the same way: ascending steps. */
struct st_use {
    uint32_t target, kind, held;
    size_t *steps;
    size_t count, capacity;
};

/* A critical section that lasts from one item to another: its acquire, and its release or the
 * number of all steps. */
struct st_long_section {
    uint32_t lock;
    size_t acquire, release;
};

/* The part of a thread that is in the group. */
struct st_lane {
    uint32_t thread;
    struct st_step *steps;
    size_t count, capacity;
    struct st_use *uses; /* in order of target, accesses and acquires apart */
    size_t use_count, use_capacity;
    struct st_long_section *longs;
    size_t long_count, long_capacity;
};

/* Threads' parts that share variables and locks with each other and with nothing else. */
struct st_group {
    const struct st_blocks_run *run;
    bool lasting; /* some critical section lasts from item to item: all accesses are here */
    struct st_lane *lanes;
    size_t lane_count, lane_capacity;
    struct st_item *items; /* those of a lane are in order, and have ascending numbers */
    size_t item_count, item_capacity;
    size_t *offsets;      /* by lane: step k of it is number offsets[lane] + k of all steps */
    uint32_t *owners;     /* by number: the item of the step */
    uint32_t *windows_of; /* by item */
    struct st_window *windows;
    size_t window_count, window_capacity;
    uint32_t variable_count, lock_count;
    uint32_t *variables, *locks; /* which ones they are in the trace */
    size_t variable_capacity, lock_capacity;
};

struct st_groups {
    struct st_group *items;
    size_t count;
};

/* Of the model's occurrences. `whole`: keep all initial reads, and not just the first of each
 * variable in a unit, which is enough as long as no write can come between them. */
void st_groups_make(struct st_blocks_run *run, bool whole, struct st_groups *groups);
void st_groups_free(struct st_groups *groups);

static inline const struct st_window *st_item_window(const struct st_group *group, uint32_t item) {
    return &group->windows[group->windows_of[item]];
}

/* ---- blocks_serial.c ---- */

/* What was seen of some items in a schedule, or in a part of one. */
struct st_view {
    const uint32_t *items; /* ascending */
    size_t count;
    const size_t *starts, *ends; /* by lane: the steps that the items have, all told */
    const uint32_t *sources;     /* by number of a read: the write that it read from, as a number
                                  * plus 1, or 0 if that was by none of these items */
    const uint32_t *last;        /* by variable: the last write, likewise */
};

/* Is there a serial schedule of these items with the same view? Each item may be cut nowhere. */
bool st_view_is_serializable(const struct st_group *group, const struct st_view *view);

#endif
