/* Could threads of this run have waited for each other in a ring? The predictors consider only
 * schedules without deadlock, so the user must know when there can be one.
 *
 * Idea (goodlock, for any number of threads): each acquire of a lock while others are held is a
 * *request*: a thread in a period that holds a set of locks and wants another one. There is
 * potential for deadlock when there are requests of different threads in a ring, each of which
 * wants a lock that the next one holds, whose periods can all run at the same time, and of which no
 * two hold a lock in common: such a gate lock keeps them from getting there together. Two threads
 * and two locks are what TSE 2006 (section 2) looks for; the general form is Agarwal, Wang and
 * Stoller's.
 *
 * Requests that are alike are kept once. Critical sections outside blocks count like all others,
 * re-entrant acquires are no requests, and only locks count: not join, barriers or channels. A
 * trace says only that a lock was taken, so an attempt that would not have waited counts too.
 */
#ifndef SERIATIM_PREDICT_DEADLOCK_H
#define SERIATIM_PREDICT_DEADLOCK_H

#include "predict/model/model.h"

/* Collects the requests. st_deadlocks_find needs a model that has it. */
extern const struct st_observer st_deadlock_observer;

/* Adds at most `most` rings (0: a default) to the predictions, the shortest first and one for each
 * ring of locks. Sets more_deadlocks if there may be more: it reached the limit, or gave
 * up the search. */
void st_deadlocks_find(const struct st_model *model, size_t most,
                       struct st_predictions *predictions);

#endif
