/* Runs `witness` as a caller does that defers accesses (emitter.h). */
#ifndef SERIATIM_REFERENCE_DEFERRED_H
#define SERIATIM_REFERENCE_DEFERRED_H

#include "finding/finding.h"
#include "reference/emitter.h"

/* The events of a validated trace, numbered from 1; the location of each must be its number. The
 * choices that the protocol leaves come from the seed. The findings are those of witness, with the
 * numbers of the events in the trace. Aborts, after saying why, when st_witness_dead_before falls
 * or an event in the findings is not the one that its number says. */
void deferred_run(const struct st_event *events, size_t count, uint64_t seed,
                  struct st_findings *findings);

#endif
