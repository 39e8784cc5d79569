/* From a schedule to a finding: the path by which the schedule violates the block. */
#ifndef SERIATIM_PREDICT_TAS_SCHEDULE_PATH_H
#define SERIATIM_PREDICT_TAS_SCHEDULE_PATH_H

#include "cluster/packing.h"
#include "predict/tas/search.h"

/* What is kept of a violated block until it is listed. Events are indices. */
struct tas_witness {
    struct tas_schedule schedule; /* complete; ends with the last event of the path */
    uint32_t *path;               /* from, to, from, to, ...: its conflict edges */
    size_t edges;
};

void tas_witness_free(struct tas_witness *witness);

/* As bytes. What is unpacked has the size that the graph says, or is all zero if that is not so. */
void tas_witness_pack(const struct tas_witness *witness, const struct st_tas_graph *graph,
                      struct st_packed *to);
void tas_witness_unpack(struct tas_witness *witness, const struct st_tas_graph *graph,
                        struct st_unpacking *from);

/* Completes the schedule and finds a path in it with as few edges as possible. Takes ownership of
 * the schedule. False if there is no path, which no search allows to happen. */
bool tas_witness_find(struct tas_witness *witness, struct tas_schedule *schedule,
                      const struct st_tas_graph *graph, const struct tas_block *block);

/* Fills in pattern, variables, events, path, witness and broken reads of a finding. */
void tas_witness_fill(const struct tas_witness *witness, const struct st_tas_graph *graph,
                      struct st_predicted_block *predicted);

#endif
