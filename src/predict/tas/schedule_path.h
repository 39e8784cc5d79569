/* From a schedule to a finding: the path by which the schedule violates the block. */
#ifndef SERIATIM_PREDICT_TAS_SCHEDULE_PATH_H
#define SERIATIM_PREDICT_TAS_SCHEDULE_PATH_H

#include "predict/tas/search.h"

/* What is kept of a violated block until it is listed. Event indices. */
struct tas_witness {
    struct tas_schedule schedule; /* complete; ends with the last event of the path */
    uint32_t *path;               /* from, to, from, to, ...: its conflict edges */
    size_t edges;
};

void tas_witness_free(struct tas_witness *witness);

/* Completes the schedule and finds a path with as few edges as possible in it. Takes over the
 * schedule. False when there is none, which no search lets happen. */
bool tas_witness_find(struct tas_witness *witness, struct tas_schedule *schedule,
                      const struct st_tas_graph *graph, const struct tas_block *block);

/* Fills pattern, variables, events, path, witness and broken reads of a finding. */
void tas_witness_tell(const struct tas_witness *witness, const struct st_tas_graph *graph,
                      struct st_predicted_block *predicted);

#endif
