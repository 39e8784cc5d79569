/* Runs under control that others do: a run is a piece of work, with its plan as the question, and
 * its log, its description and what it printed as the answer. */
#ifndef SERIATIM_HUNT_CONTROLLED_DEALT_RUNS_H
#define SERIATIM_HUNT_CONTROLLED_DEALT_RUNS_H

#include "hunt/controlled/controlled_run.h"

/* Are the runs of this program dealt out? Not those with a client: their servers would meet. */
bool st_are_dealt(const struct st_hunted *subject);

/* st_do_runs, by the crew. */
int st_deal_runs(const struct st_hunted *subject, struct st_controlled_run *const *runs,
                 size_t count, size_t jobs, const struct st_keys *known,
                 bool (*stopped)(void *context), void *context, struct st_error *error);

/* Does runs for others until the job ends, and the process with it. */
void st_serve_runs(const struct st_hunted *subject);

#endif
