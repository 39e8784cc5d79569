/* Guards: locks that are held at each of several accesses.
 *
 * Let g be the guard of all accesses that a given one can meet. Each of them holds at least g, so
 * it meets the given access at the outermost critical section on a lock of g or further outside.
 * That often shows that a transaction has one commit node, without a look at each access that it
 * meets. In a run in which hardly two blocks hold the same locks, there are as many of those as
 * there are blocks. */
#ifndef SERIATIM_PREDICT_COMMIT_GUARDS_H
#define SERIATIM_PREDICT_COMMIT_GUARDS_H

#include "predict/model/locksets.h"

#include <stdbool.h>

/* Starts as all zero: it guards nothing yet. Invariant: the locks are ascending. */
struct st_guard {
    bool any; /* it guards something */
    uint32_t *locks;
    uint32_t count;
    size_t capacity;
};

void st_guard_free(struct st_guard *guard);

/* Accesses with these locks, which are ascending, join those that it guards. */
void st_guard_meet(struct st_guard *guard, const uint32_t *locks, uint32_t count);
void st_guard_meet_set(struct st_guard *guard, const struct st_locksets *sets, uint32_t set);

static inline void st_guard_clear(struct st_guard *guard) {
    guard->any = false;
    guard->count = 0;
}

/* Guards one after another, before they have numbers as locksets: several threads make guards at
 * once, and share the table of locksets. */
struct st_guard_list {
    uint32_t *words; /* of each guard: the number of its locks, and the locks */
    size_t count, capacity;
};

/* Returns where it begins. */
uint32_t st_guard_list_add(struct st_guard_list *list, const struct st_guard *guard);
uint32_t st_guard_list_number(const struct st_guard_list *list, uint32_t begin,
                              struct st_locksets *sets);

#endif
