/* Which of the locks that two accesses have in common decides where they meet.
 *
 * Both units must take the same one: then the access that comes first is before the other's
 * critical section on it, and that section is before whatever follows it (commit_node.c). The
 * earlier a lock is taken, the larger is its section. So it is the lock that is taken first, if all
 * threads take locks in an order that they agree on. If they do not, locks have ranks. */
#ifndef SERIATIM_PREDICT_COMMIT_LOCK_RANKS_H
#define SERIATIM_PREDICT_COMMIT_LOCK_RANKS_H

#include "predict/model/model.h"

/* By lock of the model: its rank, the least first. Whoever is always taken before another has the
 * smaller one. NULL: locks are taken in one order, so ranks would say the same. Release with
 * free(). */
uint32_t *st_lock_ranks(const struct st_model *model);

/* The critical section around token i (ST_NO_TOKEN: around the beginning) on that lock of the set
 * which decides. False if no lock of the set is held there. `ranks` may be NULL. */
bool st_deciding_section(const struct st_shape *shape, const uint32_t *ranks,
                         const struct st_locksets *sets, uint32_t i, uint32_t set,
                         struct st_shape_span *span);

/* What all sections have in common on which the access can meet others, if each of those holds at
 * least the locks of the set. False if no lock of the set is held there. */
bool st_least_section(const struct st_shape *shape, const uint32_t *ranks,
                      const struct st_locksets *sets, uint32_t i, uint32_t set,
                      struct st_shape_span *span);

#endif
