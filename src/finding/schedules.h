/* What the events of predicted schedules are. A witness is a list of event numbers; to be shown,
 * the events that matter are looked up in the trace, which is fed once more for
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

/* ---- which events are shown ---- */

/* So many events are shown as long as that is enough, ... */
enum {
    ST_SCHEDULE_SHOWN = 24,
    ST_SCHEDULE_GAP = 3 /* ... and what is left out is longer than this */
};

/* Does the finding rest on the event: does its path leave from it or arrive at it? */
bool st_is_step(const struct st_predicted_block *block, uint64_t number);

/* For each event of the witness, is it shown? What the finding rests on is, and so are the begin of
 * the block, reads that see something else than in the run, and the end of the schedule; then what
 * is close to them. The witness must not be empty. Release with free(). */
bool *st_shown_events(const struct st_predicted_block *block);

#endif
