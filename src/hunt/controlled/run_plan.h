/* What a run is to do: the plan of the control area, without the empty parts of its tables. */
#ifndef SERIATIM_HUNT_CONTROLLED_RUN_PLAN_H
#define SERIATIM_HUNT_CONTROLLED_RUN_PLAN_H

#include "hunt/controlled/area.h"

struct st_run_plan {
    enum st_control_strategy strategy;
    uint32_t flags; /* st_control_flag */
    uint64_t seed;
    uint32_t depth, early;
    uint64_t expected_points, expected_block_points;
    struct st_control_expected *expected; /* its own */
    uint32_t expected_count;
    struct st_site_set outer; /* its own: functions that are no blocks */
    uint64_t stop_thread, stop_clock;
    struct st_control_hold hold;
    struct st_control_step steps[ST_CONTROL_STEPS];
    uint32_t step_count;
    struct st_site_set sites;                /* its own */
    struct st_control_deviation *deviations; /* its own */
    uint32_t deviation_count;
};

void st_plan_init(struct st_run_plan *plan);
void st_plan_free(struct st_run_plan *plan);

/* Another one that does the same. */
void st_plan_copy(struct st_run_plan *copy, const struct st_run_plan *plan);

/* A copy of these, instead of those that it has. */
void st_plan_deviate(struct st_run_plan *plan, const struct st_control_deviation *list,
                     uint32_t count);

/* A copy of how many points threads had, instead of what it has. */
void st_plan_expect(struct st_run_plan *plan, const struct st_control_expected *list,
                    uint32_t count);

/* To do what a run did, given the log of that. */
void st_plan_replay(struct st_run_plan *plan, const struct st_run_plan *run,
                    const struct st_control_log *log);

void st_plan_write(const struct st_run_plan *plan, struct st_control_plan *target);

/* "directed", "random", ... */
const char *st_strategy_name(enum st_control_strategy strategy);

/* How many of them take the processor from a thread that could go on. */
uint32_t st_count_preemptions(const struct st_control_deviation *list, uint32_t count);

#endif
