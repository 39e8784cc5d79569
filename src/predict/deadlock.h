/* Could threads of this run have waited for each other in a ring? The other analyses of other
 * schedules are about those that do not, so that the user has to know.
 *
 * Idea (goodlock, for any number of threads): each acquire of a lock while others are held is a
 * *request*: a thread in a period that holds a set of locks and wants another one. There is
 * potential for deadlock when there are requests of different threads in a ring, each of which
 * wants a lock that the next one holds, whose periods can all run at the same time, and of which no
 * two hold a lock in common: such a gate lock keeps them from getting there together. Two threads
 * and two locks are what TSE 2006 (section 2) looks for; the general form is Agarwal, Wang and
 * Stoller's.
 *
 * Requests that are alike are kept once. Critical sections outside of blocks count as all others,
 * re-entrant acquires are no requests, and only locks count: not join, barriers or channels. As all
 * that a trace tells is that a lock was taken, an attempt that would not have waited counts, too.
 */
#ifndef SERIATIM_PREDICT_DEADLOCK_H
#define SERIATIM_PREDICT_DEADLOCK_H

#include "finding/prediction.h"
#include "predict/model/observers.h"
#include "predict/model/model.h"

/* The requests of a trace. */
struct st_deadlock_watch;

struct st_deadlock_watch *st_deadlock_watch_new(void);
void st_deadlock_watch_free(struct st_deadlock_watch *watch);
size_t st_deadlock_watch_memory(const struct st_deadlock_watch *watch);

/* An acquire while other locks are held, in this period of its thread. */
void st_deadlock_watch_acquire(struct st_deadlock_watch *watch, const struct st_followed *followed,
                               uint32_t period);

struct st_deadlocks {
    struct st_foreseen_deadlock *items; /* shortest first; of each ring of locks one */
    size_t count;
    bool potential;
    bool more; /* there may be more: the limit was reached, or the search was given up */
};

/* Looks for at most `most` rings (0: a default) in what the model's trace requested. */
void st_deadlocks_find(struct st_deadlocks *deadlocks, const struct st_model *model, size_t most);
void st_deadlocks_free(struct st_deadlocks *deadlocks);

#endif
