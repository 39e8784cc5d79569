/* Units that locks alone show to be atomic.
 *
 * Some locks are held at every access to a variable that can meet others. Wherever an access of a
 * unit meets another one, both hold them, so it does that at the outermost critical section on one
 * of them, or further outside (predict/commit/guards.h). Where threads do not agree which of some
 * locks is taken first, it may also be the section on another one of these
 * (predict/commit/lock_ranks.h), so the innermost of them counts. If critical sections are nested,
 * and these sections of all accesses contain one another, the unit has one commit node: it is
 * *guarded*. So it is atomic, whatever the other units do, and that is known as soon as it ends. */
#ifndef SERIATIM_PREDICT_MODEL_SPARE_GUARDED_H
#define SERIATIM_PREDICT_MODEL_SPARE_GUARDED_H

#include "predict/model/model.h"

/* What is known of variables, and room for a unit. Starts as all zero: nothing is guarded. */
struct st_guarding {
    uint32_t *locksets; /* by variable: held at all its accesses that can meet others */
    size_t count;
    uint32_t *groups; /* by lock: those in one group are taken in different orders */
    struct st_open_lock *open;
    size_t open_capacity;
};

void st_guarding_free(struct st_guarding *guarding);

bool st_is_guarded(struct st_guarding *guarding, const struct st_model *model,
                   const struct st_locked_tokens *unit);

#endif
