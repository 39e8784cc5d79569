/* Which dependences of a report are data races: conflicts that no synchronisation orders.
 *
 * It reads the trace a second time, up to the last event that a finding mentions, so that the first
 * pass pays nothing for it.
 *
 *     st_race_edges_add(edges, findings);                          for all findings
 *     while (st_race_edges_waits(edges) && ...)
 *         st_race_edges_feed(edges, events, count, first);         the trace from its start
 */
#ifndef SERIATIM_CHECK_RACES_RACE_EDGES_H
#define SERIATIM_CHECK_RACES_RACE_EDGES_H

#include "finding/finding.h"

struct st_race_edges;

struct st_race_edges *st_race_edges_new(void);
void st_race_edges_free(struct st_race_edges *edges);

/* Asks for all conflicts in the findings, which must stay where they are. */
void st_race_edges_add(struct st_race_edges *edges, struct st_findings *findings);

/* Is there a conflict that is not decided yet? */
bool st_race_edges_waits(const struct st_race_edges *edges);

/* Why some will not be decided, or NULL. */
const char *st_race_edges_gave_up(const struct st_race_edges *edges);

/* Sets the field `race` of those whose second event has come. */
void st_race_edges_feed(struct st_race_edges *edges, const struct st_event *events, size_t count,
                        uint64_t first);

/* The lives of these variables have ended. */
void st_race_edges_forget(struct st_race_edges *edges, const struct st_variable_run *ended,
                          size_t count);

#endif
