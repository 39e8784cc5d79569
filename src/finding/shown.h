/* Which events of a schedule are worth showing, when it is too long to be shown as a whole. */
#ifndef SERIATIM_FINDING_SHOWN_H
#define SERIATIM_FINDING_SHOWN_H

#include "finding/prediction.h"

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
