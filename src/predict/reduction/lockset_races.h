/* Data races by the locks held at the accesses to a variable, in trace order. Reduction can use
 * these searches instead of predict/reduction/pair_races.h, for comparison. Each search decides for
 * each variable whether there may be a race on it.
 *
 *   - Eraser (Savage et al. [28] in TSE 2006): the intersection of the locks held at the accesses.
 *     A variable is exclusive to its first thread. From the first access of a second thread on, the
 *     intersection is formed, and it must not become empty once that thread or a later one writes.
 *   - Ownership (von Praun and Gross [29]): the same, but the second thread first becomes the
 *     owner, and the intersection is formed from the first access of another thread on.
 *   - The multilockset algorithm (TSE 2006, Figure 3): the intersection of the locks of all writes,
 *     and the minimal locksets of reads.
 *
 * The first two are heuristics that depend on the schedule, and so is the last one with escape.
 *
 * Where the paper needs an interpretation:
 *
 *   - Escape. A trace does not show when a variable became accessible to a second thread, so it
 *     counts from the first access of a second thread on, as in [28]. In the paper's "revised
 *     Eraser" a variable is exclusive when it has escaped. The first access of a second thread
 *     shows that it had, so that access ends the exclusive state. "Early" is without escape: a
 *     variable counts from its first access on.
 *   - Happen-before ("ordered"). The paper does not say how Eraser uses it. We let the owner hand a
 *     variable over to another thread, without the variable becoming shared, if everything that the
 *     owner did with it happens before. We report only contended variables. For the multilockset
 *     algorithm, Figure 3 says it: IsConcurrent and IsConcurrentWith are about thread periods or,
 *     without happen-before, about threads.
 *   - ReadSets keep minimal sets and drop their supersets, as in the figure; the text has it the
 *     other way round.
 *   - The paper evaluates Figure 3 at every event. Its sets change in one direction only, and the
 *     answers with them, so we evaluate it once, at the end.
 *   - The lock of an atomic variable (predict/model/model.h) counts as held at its accesses. */
#ifndef SERIATIM_PREDICT_REDUCTION_LOCKSET_RACES_H
#define SERIATIM_PREDICT_REDUCTION_LOCKSET_RACES_H

#include "predict/model/observers.h"

/* Which searches found a race on a variable. */
enum st_racy_by {
    ST_RACY_OWNERSHIP = 1,
    ST_RACY_ERASER = 2,
    ST_RACY_ERASER_EARLY = 4,
    ST_RACY_ERASER_ORDERED = 8,
    ST_RACY_ERASER_EARLY_ORDERED = 16,
    ST_RACY_MULTILOCKSET = 32,
    ST_RACY_MULTILOCKSET_EARLY = 64,
    ST_RACY_MULTILOCKSET_ORDERED = 128,
    ST_RACY_MULTILOCKSET_EARLY_ORDERED = 256
};

struct st_lockset_races;

/* Its state is a struct st_lockset_races. */
extern const struct st_observer st_lockset_observer;

/* enum st_racy_by of a variable, at the end of the trace. */
unsigned st_lockset_races_of(const struct st_lockset_races *races, uint32_t variable);

/* Before the end: is the variable racy by ownership so far, and do threads share it? */
bool st_lockset_races_now(const struct st_lockset_races *races, uint32_t variable);
bool st_lockset_races_shared_now(const struct st_lockset_races *races, uint32_t variable);

#endif
