/* Is a finding of TAS true? One pass over its schedule, by the definition in predict/tas/tas.h and
 * by nothing else: it knows the events of the trace and no graph. */
#ifndef SERIATIM_PREDICT_TAS_RECHECK_H
#define SERIATIM_PREDICT_TAS_RECHECK_H

#include "finding/prediction.h"

/* NULL when the schedule of the finding is feasible and its path violates the block; otherwise what
 * is wrong. `events` are all events of the trace, as st_tas_feed got them. */
const char *st_tas_validate(const struct st_event *events, size_t count,
                            const struct st_predicted_block *predicted);

#endif
