/* IR-FW(T) of Theorem 5: the run as a sequence of steps for each thread, with only synchronisation,
 * initial reads and final writes; and its parts that can be explored separately. Parts in which
 * locks are held from unit to unit keep all accesses. */
#ifndef SERIATIM_PREDICT_BLOCKS_EXACT_EXACT_GROUPS_H
#define SERIATIM_PREDICT_BLOCKS_EXACT_EXACT_GROUPS_H

#include "predict/blocks/blocks.h"

struct st_exact_step {
    uint32_t kind;   /* ST_TOKEN_READ, _WRITE, _ACQUIRE or _RELEASE */
    uint32_t target; /* a number below st_group.variable_count or .lock_count */
    uint32_t held;   /* lockset; for an acquire or release, without its own lock */
    uint32_t item;
    bool core;    /* synchronisation, an initial read or a final write */
    bool lasting; /* an acquire or release of a critical section that spans several items */
    struct st_spot spot;
};

static inline bool st_is_access_step(const struct st_exact_step *step) {
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
struct st_lane_use {
    uint32_t target, kind, held;
    size_t *steps;
    size_t count, capacity;
};

/* A critical section that spans several items: its acquire, and its release or, if it has none, the
 * total number of steps. */
struct st_long_section {
    uint32_t lock;
    size_t acquire, release;
};

/* The part of a thread that belongs to the group. */
struct st_lane {
    uint32_t thread;
    struct st_exact_step *steps;
    size_t count, capacity;
    struct st_lane_use *uses; /* ordered by target, accesses and acquires separately */
    size_t use_count, use_capacity;
    struct st_long_section *longs;
    size_t long_count, long_capacity;
};

/* Parts of threads that share variables and locks with each other and with nothing else. */
struct st_group {
    const struct st_blocks_run *run;
    bool lasting; /* some critical section spans several items: all accesses are here */
    struct st_lane *lanes;
    size_t lane_count, lane_capacity;
    struct st_item *items; /* those of a lane are in order, and have ascending numbers */
    size_t item_count, item_capacity;
    size_t *offsets;      /* by lane: its step k has the number offsets[lane] + k among all
                           * steps */
    uint32_t *owners;     /* by number of a step: its item */
    uint32_t *windows_of; /* by item */
    struct st_window *windows;
    size_t window_count, window_capacity;
    uint32_t variable_count, lock_count;
    uint32_t *variables, *locks; /* their names in the trace */
    size_t variable_capacity, lock_capacity;
};

/* Must a serial schedule keep the step's critical section apart from others of the lock? */
static inline bool st_stays_apart(const struct st_group *group, const struct st_exact_step *step) {
    return step->lasting && !group->run->model->options.data;
}

struct st_groups {
    struct st_group *items;
    size_t count;
};

/* Makes the groups of the model's occurrences. `whole`: keep all initial reads, and not just the
 * first of each variable in a unit, which is enough as long as no write can come between them. */
void st_groups_make(struct st_blocks_run *run, bool whole, struct st_groups *groups);
void st_groups_free(struct st_groups *groups);

static inline const struct st_window *st_item_window(const struct st_group *group, uint32_t item) {
    return &group->windows[group->windows_of[item]];
}

/* A step in a schedule. */
struct st_move {
    uint32_t lane;
    size_t step;
};

static inline const struct st_exact_step *st_move_step(const struct st_group *group,
                                                       struct st_move move) {
    return &group->lanes[move.lane].steps[move.step];
}

/* ---- how groups are made ---- */

/* An occurrence with steps. */
struct st_plan_entry {
    uint32_t thread, unit;
    size_t first, count; /* in st_plan.steps */
};

/* The steps of a run, before they are divided into groups. */
struct st_plan {
    struct st_blocks_run *run;
    struct st_exact_step *steps; /* targets are those of the trace */
    size_t step_count, step_capacity;
    struct st_plan_entry *entries; /* those of a thread are in order */
    size_t entry_count, entry_capacity;
    uint32_t *groups; /* by entry */
    uint32_t group_count;
};

/* Fills in the groups (partition.c). */
void st_plan_find_groups(struct st_plan *plan);

/* Completes a group that has its lanes, items and steps (lanes.c). */
void st_group_complete(struct st_group *group);

#endif
