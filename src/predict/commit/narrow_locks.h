/* Which of the locks that are held at an access keep somebody away from it.
 *
 * A lock that no other thread holds when it accesses the variable keeps no one away from it.
 * Without such locks, many accesses are alike. */
#ifndef SERIATIM_PREDICT_COMMIT_NARROW_LOCKS_H
#define SERIATIM_PREDICT_COMMIT_NARROW_LOCKS_H

#include "predict/model/locksets.h"

/* The locks held at accesses to a variable. Invariant: a slot is 0, or a lock and, in its lower
 * half, the thread plus 1 that holds it there, or UINT32_MAX for several. */
struct st_lock_holders {
    uint64_t *slots;
    uint32_t slot_count; /* a power of two, or 0 */
    uint32_t used;
};

/* What was found last for some variable and lockset. */
struct st_narrowed {
    uint32_t variable, lockset; /* lockset 0: nothing yet */
    uint32_t narrow;
};

enum { ST_NARROWED_SLOTS = 1 << 12 };

struct st_narrow_locks {
    const struct st_locksets *sets; /* those of accesses */
    struct st_locksets *narrow;     /* where the smaller ones go */
    struct st_lock_holders *holders;
    uint32_t variable_count;
    struct st_narrowed recent[ST_NARROWED_SLOTS];
};

void st_narrow_locks_init(struct st_narrow_locks *locks, uint32_t variable_count,
                          const struct st_locksets *sets, struct st_locksets *narrow);
void st_narrow_locks_free(struct st_narrow_locks *locks);

/* The thread accesses the variable with these locks. All accesses, before the first question. */
void st_narrow_locks_note(struct st_narrow_locks *locks, uint32_t variable, uint32_t lockset,
                          uint32_t thread);

/* The lockset, in locks->narrow, without those that only one thread holds there. */
uint32_t st_narrow_lockset(struct st_narrow_locks *locks, uint32_t variable, uint32_t lockset);

#endif
