/* The steps of a run on their way into groups: made by blocks_steps.c, given to groups by
 * blocks_apart.c, put there by blocks_groups.c. */
#ifndef SERIATIM_PREDICT_BLOCKS_EXACT_PLAN_H
#define SERIATIM_PREDICT_BLOCKS_EXACT_PLAN_H

#include "predict/blocks/exact/exact_steps.h"

/* An occurrence with steps. */
struct st_plan_entry {
    uint32_t thread, unit;
    size_t first, count; /* in st_plan.steps */
};

struct st_plan {
    struct st_blocks_run *run;
    struct st_step *steps; /* targets are those of the trace */
    size_t step_count, step_capacity;
    struct st_plan_entry *entries; /* those of a thread are in order */
    size_t entry_count, entry_capacity;
    uint32_t *groups; /* by entry */
    uint32_t group_count;
};

/* Fills in the steps and the entries. `whole` is that of st_groups_make. */
void st_plan_make(struct st_plan *plan, struct st_blocks_run *run, bool whole);
void st_plan_free(struct st_plan *plan);

/* Fills in the groups. */
void st_plan_find_groups(struct st_plan *plan);

/* Of a group that has its lanes, items and steps, fills in all the rest: blocks_lanes.c. */
void st_group_complete(struct st_group *group);

#endif
