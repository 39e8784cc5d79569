/* Looking ahead from a part of a chain: can the target be reached from here at all?
 *
 * The answer is quick, and may be a wrong yes but never a wrong no. It follows all ways on at once,
 * and keeps of each thread only what is true of every chain that enters it: the first position at
 * which one does, and for each thread the last position that comes before all these entries. What
 * comes before the end of a chain (all that must happen before its events, and these themselves)
 * only grows from event to event, and what the chain enters next lies behind it. */
#ifndef SERIATIM_PREDICT_TAS_LOOK_AHEAD_H
#define SERIATIM_PREDICT_TAS_LOOK_AHEAD_H

#include "predict/tas/segment.h"

/* For one block. */
struct tas_ahead {
    const struct st_tas_graph *graph;
    const struct tas_segment *segment;
    uint32_t *first;  /* by thread: the first position that is entered; 0: none */
    uint32_t *before; /* by thread and thread: the last position that comes before all entries */
    uint32_t *now;    /* by thread: the same for one event, and the event itself */
    bool *waits;      /* by thread: something has changed since it was left */
    bool bounded;     /* some answer was no, but only for chains that are not longer */
    uint64_t work;    /* of the last look, in about nanoseconds */
};

void tas_ahead_init(struct tas_ahead *ahead, const struct st_tas_graph *graph,
                    const struct tas_segment *segment);
void tas_ahead_free(struct tas_ahead *ahead);

/* Where a chain is, and where it is to go. */
struct tas_ahead_task {
    uint32_t from, target;  /* accesses: the last of the chain so far, and one of the block */
    const uint32_t *before; /* by thread: the last position that comes before `from` */
    const uint32_t *high;   /* by thread: the first position that cannot be executed before the
                             * target */
    const bool *visited;    /* by thread: the chain has been there */
    size_t intervals;       /* the chain goes on by no more than these */
};

/* False: no chain goes on from there to the target. */
bool tas_ahead_reaches(struct tas_ahead *ahead, const struct tas_ahead_task *task);

#endif
