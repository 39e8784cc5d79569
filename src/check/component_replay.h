/* The second phase of DoubleChecker: what some transactions did, replayed on a precise graph. */
#ifndef SERIATIM_CHECK_COMPONENT_REPLAY_H
#define SERIATIM_CHECK_COMPONENT_REPLAY_H

#include "base/map64.h"
#include "finding/finding.h"

/* Replays the events, which it sorts by number, and adds what it finds to the findings. Every event
 * of a block comes with its begin. `blamed` holds the begins of blocks that were reported before;
 * they are not reported again. */
void st_replay_component(struct st_place *events, size_t count, struct st_findings *findings,
                         struct st_set64 *blamed);

#endif
