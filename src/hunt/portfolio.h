/* Which strategy each run of a hunt uses, and with what: from what earlier runs have shown. */
#ifndef SERIATIM_HUNT_PORTFOLIO_H
#define SERIATIM_HUNT_PORTFOLIO_H

#include "hunt/candidates.h"
#include "hunt/controlled/run_plan.h"

/* What runs have shown so far. */
struct st_knowledge {
    struct st_site_set sites, outer;     /* of points, and of functions that are no blocks */
    uint64_t points, block_points;       /* contested ones, the most of any run */
    struct st_control_expected *threads; /* the most points that each had */
    size_t thread_count, thread_capacity;
    struct st_candidates candidates;
    uint64_t turns; /* of the strategies, so far */
};

void st_knowledge_init(struct st_knowledge *knowledge);
void st_knowledge_free(struct st_knowledge *knowledge);
void st_knowledge_add(struct st_knowledge *knowledge, const struct st_control_log *log);

/* Strategies as users choose them. The first ones are the runtime's own, by their numbers. */
enum { ST_CHOICE_PORTFOLIO = ST_STRATEGY_COUNT, ST_CHOICE_SYSTEMATIC, ST_CHOICE_COUNT };
const char *st_choice_name(size_t choice); /* NULL behind the last */

/* The plan of run number `run`, from 1, of a hunt with this seed. `choice` is not systematic. With
 * ST_STRATEGY_STEPS, the steps are to be set (hunt/suspects.h).
 * *candidate is what the plan tries to show, or NULL; it stays valid until something is added. */
void st_portfolio_plan(struct st_run_plan *plan, struct st_knowledge *knowledge, size_t choice,
                       uint64_t seed, uint64_t run, uint32_t flags,
                       struct st_candidate **candidate);

/* The seed of a run. */
uint64_t st_run_seed(uint64_t seed, uint64_t run);

#endif
