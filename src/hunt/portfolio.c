#include "hunt/portfolio.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { STRATEGIES = 9 }; /* that take turns */

/* One decision in so many lets time pass early: a thread may be arbitrarily slow. In one
 * run of two, of every strategy, it does so often, for what happens only when time is up. */
static uint32_t early_of(uint64_t turn) {
    enum { SELDOM = 24, OFTEN = 3, TURNS = 2 };
    return (turn % STRATEGIES + turn / STRATEGIES) % TURNS == 0 ? OFTEN : SELDOM;
}

void st_knowledge_init(struct st_knowledge *knowledge) {
    *knowledge = (struct st_knowledge){0};
    st_site_set_init(&knowledge->sites);
    st_site_set_init(&knowledge->outer);
}

void st_knowledge_free(struct st_knowledge *knowledge) {
    st_site_set_free(&knowledge->sites);
    st_site_set_free(&knowledge->outer);
    st_candidates_free(&knowledge->candidates);
    free(knowledge->threads);
}

static void add_thread(struct st_knowledge *knowledge, const struct st_control_thread *thread) {
    size_t i = 0;
    while (i < knowledge->thread_count && knowledge->threads[i].thread != thread->name)
        i++;
    if (i == ST_CONTROL_EXPECTED)
        return;
    st_reserve(&knowledge->threads, &knowledge->thread_capacity, i + 1);
    if (i == knowledge->thread_count)
        knowledge->threads[knowledge->thread_count++].thread = thread->name;
    if (thread->points > knowledge->threads[i].points)
        knowledge->threads[i].points = thread->points;
}

void st_knowledge_add(struct st_knowledge *knowledge, const struct st_control_log *log) {
    st_site_set_add_all(&knowledge->sites, log->sites);
    if (log->contested > knowledge->points)
        knowledge->points = log->contested;
    if (log->contested_in_blocks > knowledge->block_points)
        knowledge->block_points = log->contested_in_blocks;
    for (uint32_t i = 0; i < log->thread_count; i++)
        add_thread(knowledge, &log->threads[i]);
    st_candidates_add_log(&knowledge->candidates, log);
}

const char *st_choice_name(size_t choice) {
    if (choice < ST_STRATEGY_COUNT)
        return st_strategy_name((enum st_control_strategy)choice);
    return choice == ST_CHOICE_PORTFOLIO    ? "portfolio"
           : choice == ST_CHOICE_SYSTEMATIC ? "systematic"
                                            : NULL;
}

uint64_t st_run_seed(uint64_t seed, uint64_t run) {
    return st_control_mix(st_control_mix(UINT64_C(0x5e71a71d), seed), run);
}

/* No single strategy wins. Those that know what a block is come most often. */
static enum st_control_strategy strategy_in_turn(uint64_t turn) {
    static const enum st_control_strategy turns[STRATEGIES] = {
        ST_STRATEGY_DIRECTED, ST_STRATEGY_STALL, ST_STRATEGY_BLOCK_PCT,
        ST_STRATEGY_DIRECTED, ST_STRATEGY_POS,   ST_STRATEGY_STALL,
        ST_STRATEGY_PCT,      ST_STRATEGY_URW,   ST_STRATEGY_RANDOM};
    return turns[turn % STRATEGIES];
}

static void hold_one(struct st_control_hold *hold, uint64_t first, uint64_t other, uint64_t last) {
    hold->first_count = hold->other_count = hold->last_count = 1;
    hold->first[0] = first;
    hold->other[0] = other;
    hold->last[0] = last;
}

/* What the strategy needs to know. Without a candidate, another strategy takes its place. */
static void set_hold(struct st_run_plan *plan, struct st_knowledge *knowledge,
                     struct st_candidate **candidate) {
    if (plan->strategy == ST_STRATEGY_DIRECTED) {
        *candidate = st_candidates_next(&knowledge->candidates);
        if (*candidate)
            hold_one(&plan->hold, (*candidate)->first, (*candidate)->other, (*candidate)->last);
        else
            plan->strategy = ST_STRATEGY_POS;
    } else if (plan->strategy == ST_STRATEGY_STALL) {
        struct st_stall *stall = st_candidates_next_stall(&knowledge->candidates);
        if (stall) {
            plan->hold.first_count = 1;
            plan->hold.first[0] = stall->first;
            plan->hold.order_count = stall->order_count;
            memcpy(plan->hold.order, stall->order, sizeof stall->order);
        } else {
            plan->strategy = ST_STRATEGY_PCT;
        }
    }
}

void st_portfolio_plan(struct st_run_plan *plan, struct st_knowledge *knowledge, size_t choice,
                       uint64_t seed, uint64_t run, uint32_t flags,
                       struct st_candidate **candidate) {
    enum { FIRST_TURN = 3 };
    uint64_t turn = choice == ST_CHOICE_PORTFOLIO ? FIRST_TURN + knowledge->turns++ : run;
    plan->strategy =
        choice == ST_CHOICE_PORTFOLIO ? strategy_in_turn(turn) : (enum st_control_strategy)choice;
    plan->flags = flags | ST_CONTROL_LEARN;
    plan->seed = st_run_seed(seed, run);
    plan->depth = 2 + (uint32_t)(turn / STRATEGIES + 1) % 3;
    plan->early = plan->strategy == ST_STRATEGY_DEFAULT ? 0 : early_of(turn);
    plan->expected_points = knowledge->points;
    plan->expected_block_points = knowledge->block_points;
    st_site_set_add_all(&plan->sites, knowledge->sites.table);
    st_site_set_add_all(&plan->outer, knowledge->outer.table);
    st_plan_expect(plan, knowledge->threads, (uint32_t)knowledge->thread_count);
    *candidate = NULL;
    set_hold(plan, knowledge, candidate);
}
