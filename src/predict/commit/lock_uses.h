/* Where a thread takes and gives back locks that it holds from one unit to another. A unit in such
 * a critical section need not have its acquire or its release in itself, but a finding is told with
 * events that there are.
 *
 * Equal units of a period are one, and so are their lock operations: what is found may be that of
 * an equal unit. */
#ifndef SERIATIM_PREDICT_COMMIT_LOCK_USES_H
#define SERIATIM_PREDICT_COMMIT_LOCK_USES_H

#include "predict/model/model.h"

/* An acquire whose critical section goes on behind its unit, or a release of one that began before.
 */
struct st_lock_use {
    uint32_t thread, lock;
    bool releases;
    uint64_t number; /* of the event */
    uint32_t unit, token;
};

/* Invariant: items are sorted by thread, lock, kind and number. Starts as all zero but for the
 * model, and fills itself when it is asked first. */
struct st_lock_uses {
    const struct st_model *model;
    struct st_lock_use *items;
    size_t count, capacity;
    bool filled;
};

void st_lock_uses_free(struct st_lock_uses *uses);

/* The acquire of the critical section on `lock` that token is the acquire of; ST_NO_TOKEN: that the
 * unit begins in. */
struct st_place st_lock_acquire(struct st_lock_uses *uses, uint32_t unit, uint32_t token,
                                uint32_t lock);

/* The release of that section; its acquire if the trace has no release of it. */
struct st_place st_lock_release(struct st_lock_uses *uses, uint32_t unit, uint32_t token,
                                uint32_t lock);

#endif
