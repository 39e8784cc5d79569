/* What the events of predicted schedules are. A witness is a list of event numbers; to be shown,
 * the events that matter (finding/shown.h) are looked up in the trace, which is fed once more for
 * that, and of the others it is found out whose they are:
 *
 *     struct st_schedules *schedules = st_schedules_new(predictions);
 *     while (st_schedules_wait(schedules) && ... more batches of the trace ...)
 *         st_schedules_feed(schedules, events, count, first);
 *     st_schedules_free(schedules);
 *
 * Events are those that the analyses got: with the same locations, and before those are mapped. */
#ifndef SERIATIM_FINDING_SCHEDULES_H
#define SERIATIM_FINDING_SCHEDULES_H

#include "finding/prediction.h"

struct st_schedules;

/* Looks at all witnesses whose events are not known yet. The predictions must outlive it. */
struct st_schedules *st_schedules_new(struct st_predictions *predictions);

/* What the trace did not have is left out of the schedules. */
void st_schedules_free(struct st_schedules *schedules);

/* Is an event missing still? */
bool st_schedules_wait(const struct st_schedules *schedules);

/* `first` is the number of the first of these events; the batches come in order. */
void st_schedules_feed(struct st_schedules *schedules, const struct st_event *events, size_t count,
                       uint64_t first);

#endif
