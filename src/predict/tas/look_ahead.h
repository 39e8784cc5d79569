/* Looks ahead from a prefix of a chain: can the target be reached from here at all?
 *
 * The answer is quick. A yes may be wrong, a no never is. The look follows all continuations at
 * once. For each strand it keeps only what holds for every chain that enters it: the first
 * position at which one does and, for each strand, the last position that comes before all these
 * entries. What comes before the end of a chain (its events, and all that must happen before them)
 * only grows from event to event, and what the chain enters next comes after it.
 *
 * Locks count, as far as the block's strand holds them: who acquires a lock after that strand has
 * acquired it comes after its release. By then, the strand may hold the next lock, which comes
 * next. How far the strand must have come is kept for each kind of access that a chain enters by,
 * since where a thread does the same again and again, only some of it comes after the block. */
#ifndef SERIATIM_PREDICT_TAS_LOOK_AHEAD_H
#define SERIATIM_PREDICT_TAS_LOOK_AHEAD_H

#include "predict/tas/graph/runs_between.h"
#include "predict/tas/segment.h"

/* One for each worker, reused from block to block. */
struct tas_ahead {
    const struct st_tas_graph *graph;
    struct tas_runs_between *between;
    const struct tas_segment *segment; /* of the block */
    uint32_t *first;                   /* by strand: the first position entered, or 0 */
    uint32_t *before; /* by strand and strand: the last position that comes before all entries */
    uint32_t *now;    /* by strand: the same for one event, including the event itself */
    bool *waits;      /* by strand: something has changed since the look last left it */
    bool locked;      /* the block holds locks, so that what follows is of use */
    struct tas_entry *entries; /* by run; NULL: no block has held locks yet */
    struct tas_exit *exits;    /* by place in the list of runs that lead out of a strand */
    size_t exit_capacity;
    uint32_t stamp; /* of entries that are valid */
    bool bounded;   /* some no for this block holds only for chains up to the given length */
    uint64_t work;  /* of the last look, in rough nanoseconds */
};

void tas_ahead_init(struct tas_ahead *ahead, struct tas_runs_between *between);
void tas_ahead_free(struct tas_ahead *ahead);

/* Turns to another block. */
void tas_ahead_start(struct tas_ahead *ahead, const struct tas_segment *segment);

/* Where a chain is, and where it should go. */
struct tas_ahead_task {
    uint32_t from, target;  /* accesses: the last of the chain so far, and the block's */
    const uint32_t *before; /* by strand: the last position that comes before `from` */
    const uint32_t *high;   /* by strand: the first position that cannot be executed before the
                             * target */
    const bool *visited;    /* by thread: the chain visits it */
    size_t intervals;       /* the chain may grow by at most this many */
};

/* False: no chain continues from there to the target. */
bool tas_ahead_reaches(struct tas_ahead *ahead, const struct tas_ahead_task *task);

#endif
