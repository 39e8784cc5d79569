/* Which variables are in data races by the multilockset algorithm (TSE 2006, Figure 3), over all
 * accesses at once.
 *
 * A variable is suspected when no lock is held at all writes, or none of those that are at some
 * read, while some thread period that writes it is concurrent with another one that accesses it.
 *
 * Accesses count once the variable has escaped from its creator. Here that is: accesses in a period
 * with which some access of another thread is concurrent. What a thread does before it forks all
 * others, or after it joined them, cannot race in any schedule; so nothing is missed, and a
 * variable that is set up without a lock is no alarm. (By the first access of a second thread, as
 * in the trace, violations would be missed: predict/reduction/lockset_races.h.) */
#ifndef SERIATIM_PREDICT_REDUCTION_MULTILOCKSET_H
#define SERIATIM_PREDICT_REDUCTION_MULTILOCKSET_H

#include "predict/reduction/pair_races.h"

/* Sets racy[v] for each such variable v. */
void st_multilockset_find(const struct st_model *model, const struct st_pair_races *races,
                          bool *racy);

#endif
