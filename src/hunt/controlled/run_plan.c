#include "hunt/controlled/run_plan.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void st_plan_init(struct st_run_plan *plan) {
    *plan = (struct st_run_plan){0};
    st_site_set_init(&plan->sites);
    st_site_set_init(&plan->outer);
}

void st_plan_free(struct st_run_plan *plan) {
    st_site_set_free(&plan->sites);
    st_site_set_free(&plan->outer);
    free(plan->deviations);
    free(plan->expected);
}

void st_plan_expect(struct st_run_plan *plan, const struct st_control_expected *list,
                    uint32_t count) {
    count = count < ST_CONTROL_EXPECTED ? count : ST_CONTROL_EXPECTED;
    free(plan->expected);
    plan->expected = st_alloc((size_t)count + 1, sizeof *list);
    if (count)
        memcpy(plan->expected, list, count * sizeof *list);
    plan->expected_count = count;
}

void st_plan_deviate(struct st_run_plan *plan, const struct st_control_deviation *list,
                     uint32_t count) {
    struct st_control_deviation *copy = st_alloc((size_t)count + 1, sizeof *copy);
    if (count)
        memcpy(copy, list, count * sizeof *copy);
    free(plan->deviations);
    plan->deviations = copy;
    plan->deviation_count = count;
}

void st_plan_copy(struct st_run_plan *copy, const struct st_run_plan *plan) {
    *copy = *plan;
    copy->deviations = NULL;
    copy->expected = NULL;
    st_plan_expect(copy, plan->expected, plan->expected_count);
    st_site_set_init(&copy->outer);
    st_site_set_add_all(&copy->outer, plan->outer.table);
    st_site_set_init(&copy->sites);
    st_site_set_add_all(&copy->sites, plan->sites.table);
    st_plan_deviate(copy, plan->deviations, plan->deviation_count);
}

void st_plan_replay(struct st_run_plan *plan, const struct st_run_plan *run,
                    const struct st_control_log *log) {
    st_plan_init(plan);
    plan->strategy = ST_STRATEGY_DEFAULT;
    plan->flags = run->flags & (ST_CONTROL_REAL_TIME | ST_CONTROL_EVERY_ACCESS);
    plan->seed = run->seed;
    st_site_set_add_all(&plan->outer, run->outer.table);
    st_site_set_add_all(&plan->sites, run->sites.table);
    st_site_set_add_all(&plan->sites, log->sites);
    st_plan_deviate(plan, log->deviations, log->deviation_count);
}

void st_plan_write(const struct st_run_plan *plan, struct st_control_plan *target) {
    target->strategy = plan->strategy;
    target->flags = plan->flags;
    target->seed = plan->seed;
    target->depth = plan->depth;
    target->early = plan->early;
    target->expected_points = plan->expected_points;
    target->expected_block_points = plan->expected_block_points;
    target->expected_count = plan->expected_count;
    if (plan->expected_count)
        memcpy(target->expected, plan->expected, plan->expected_count * sizeof *plan->expected);
    target->outer_count = 0;
    for (uint32_t i = 0; i < ST_CONTROL_SITES; i++)
        if (plan->outer.table[i] && target->outer_count < ST_CONTROL_OUTER)
            target->outer[target->outer_count++] = plan->outer.table[i];
    target->stop_thread = plan->stop_thread;
    target->stop_clock = plan->stop_clock;
    target->hold = plan->hold;
    target->step_count = plan->step_count;
    memcpy(target->steps, plan->steps, sizeof target->steps);
    target->deviation_count = plan->deviation_count;
    if (plan->deviation_count)
        memcpy(target->deviations, plan->deviations,
               plan->deviation_count * sizeof *plan->deviations);
    st_plan_sites(target, &plan->sites);
}

const char *st_strategy_name(enum st_control_strategy strategy) {
    static const char *const names[ST_STRATEGY_COUNT] = {[ST_STRATEGY_DEFAULT] = "default",
                                                         [ST_STRATEGY_RANDOM] = "random",
                                                         [ST_STRATEGY_URW] = "urw",
                                                         [ST_STRATEGY_PCT] = "pct",
                                                         [ST_STRATEGY_BLOCK_PCT] = "block-pct",
                                                         [ST_STRATEGY_POS] = "pos",
                                                         [ST_STRATEGY_DIRECTED] = "directed",
                                                         [ST_STRATEGY_STALL] = "stall",
                                                         [ST_STRATEGY_STEPS] = "predicted"};
    return names[strategy];
}

uint32_t st_count_preemptions(const struct st_control_deviation *list, uint32_t count) {
    uint32_t result = 0;
    for (uint32_t i = 0; i < count; i++)
        result += list[i].kind == ST_DEVIATION_PREEMPT;
    return result;
}
