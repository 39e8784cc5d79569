/* Predictions that a hunt tries to confirm: where their steps are in the program, how to make them
 * happen, and whether they did.
 *
 * A prediction (hunt/foreseen/foresee.h) names functions and lines, since it may come from a trace
 * of another build; the scheduler knows sites. What a learning run passed by connects the two. */
#ifndef SERIATIM_HUNT_SUSPECTS_H
#define SERIATIM_HUNT_SUSPECTS_H

#include "hunt/sighting.h"

#include <jansson.h>

/* A way of a prediction that can be tried. Invariant: the first step has a site. */
struct st_placed_way {
    struct st_control_step steps[ST_CONTROL_STEPS];
    uint32_t step_count;
    bool with_others; /* it says what another thread does */
};

struct st_suspect {
    json_t *prediction;
    struct st_placed_way *ways;
    size_t way_count;        /* 0: the program did not come by where it would happen */
    uint64_t planned, tries; /* runs for it; those that were done and looked at */
    bool impossible, confirmed;
    enum st_found_kind by; /* what confirmed it: a cause of the hunt */
    uint64_t key;
};

/* All zero is empty. */
struct st_suspects {
    struct st_suspect *list;
    size_t count;
};

void st_suspects_free(struct st_suspects *suspects);

/* Takes the predictions of the list; `places` are those of a description (run_description.h). */
void st_suspects_take(struct st_suspects *suspects, const json_t *list, const json_t *places);

/* The one to try next: of those that can be tried, are not confirmed, and were planned less often
 * than `most_tries`, the one that was planned least. What no order of
 * the recorded events cuts comes last, and a quarter as often: another run may do other things.
 * NULL: there is none. */
struct st_suspect *st_suspects_next(const struct st_suspects *suspects, uint64_t most_tries);

/* Counts a plan, and sets the strategy of the plan and what it needs. */
void st_suspect_try(struct st_suspect *suspect, struct st_run_plan *plan);

/* Is it what was seen: a violation of a report, or the threads that were stuck in a deadlock? */
bool st_suspect_is_cut(const struct st_suspect *suspect, const json_t *violation);
bool st_suspect_is_stuck(const struct st_suspect *suspect, const json_t *stuck);

#endif
