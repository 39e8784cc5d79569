/* All schedules of a small program with few preemptions: first those without any, then those with
 * one, and so on up to a bound. A schedule is a list of deviations; the log of a run shows where it
 * could have gone on otherwise. */
#ifndef SERIATIM_HUNT_SYSTEMATIC_H
#define SERIATIM_HUNT_SYSTEMATIC_H

#include "hunt/controlled/run_plan.h"

enum { ST_PREEMPTION_BOUND = 2 };

struct st_systematic;

struct st_systematic *st_systematic_new(void);
void st_systematic_free(struct st_systematic *search);

/* The next schedule, into the plan; false: there is none for now. Add what came of those before,
 * and ask again. */
bool st_systematic_next(struct st_systematic *search, struct st_run_plan *plan);

/* What came of the schedules in the order in which they were asked for. */
void st_systematic_add(struct st_systematic *search, const struct st_run_plan *plan,
                       const struct st_control_log *log);

/* Goes on to more preemptions when all with fewer have been tried. False at the bound. */
bool st_systematic_deepen(struct st_systematic *search);

uint32_t st_systematic_bound(const struct st_systematic *search);

/* Has nothing been left out, up to the bound? */
bool st_systematic_is_complete(const struct st_systematic *search);

#endif
