/* Is the evidence that an engine gives for its findings real? */
#ifndef SERIATIM_REFERENCE_EVIDENCE_H
#define SERIATIM_REFERENCE_EVIDENCE_H

#include "reference/reference.h"

/* The path of a violation: real dependences between different threads, each starting in the thread
 * where the last one arrived and not before it, the first leaving the block, the last arriving at
 * the violation's event. NULL when all is well, or what is wrong. */
const char *evidence_path(const struct st_violation *violation, const struct sample *sample);

/* How many edges the shortest path of that kind has. There is one if the block is violated. */
size_t evidence_shortest(const struct st_violation *violation, const struct sample *sample);

/* A cycle of transactions: real dependences, each starting in the transaction where the last one
 * arrived or later in that thread, all within the first `limit` events, and closed. */
const char *evidence_cycle(const struct st_edge *edges, size_t count, uint64_t limit,
                           const struct sample *sample, const struct reference *reference);

/* The transactions that the ends of the edges are said to be in. NULL when all is well, or what is
 * wrong. */
const char *evidence_ends(const struct st_edge *edges, const struct st_ends *ends, size_t count,
                          const struct sample *sample, const struct reference *reference);

/* The last edge alone, where the engine has no more: a real dependence that arrives at the
 * violation's event. NULL when all is well, or what is wrong. */
const char *evidence_closing(const struct st_violation *violation, const struct sample *sample);

/* Is this the event of the sample that it claims to be? */
bool evidence_place(const struct st_place *place, const struct sample *sample);

#endif
