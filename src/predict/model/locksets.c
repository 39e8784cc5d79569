#include "predict/model/locksets.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void st_locksets_init(struct st_locksets *sets) {
    *sets = (struct st_locksets){0};
    st_intern_init(&sets->sets, 0);
    st_intern_add(&sets->sets, NULL, 0); /* the empty one */
}

void st_locksets_free(struct st_locksets *sets) {
    st_intern_free(&sets->sets);
    free(sets->scratch);
}

/* The locks are ascending. They may be in sets->scratch, but not in a stored set. */
static uint32_t intern(struct st_locksets *sets, const uint32_t *locks, size_t count) {
    return count ? st_intern_add(&sets->sets, locks, count * sizeof *locks) : 0;
}

static int ascending(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

uint32_t st_lockset_of(struct st_locksets *sets, const uint32_t *locks, size_t count) {
    if (!count)
        return 0;
    st_reserve(&sets->scratch, &sets->scratch_capacity, count);
    memcpy(sets->scratch, locks, count * sizeof *locks);
    qsort(sets->scratch, count, sizeof *locks, ascending);
    return intern(sets, sets->scratch, count);
}

uint32_t st_lockset_with(struct st_locksets *sets, uint32_t set, uint32_t lock) {
    uint32_t size = st_lockset_size(sets, set), count = 0, i = 0;
    if (st_lockset_has(sets, set, lock))
        return set;
    st_reserve(&sets->scratch, &sets->scratch_capacity, (size_t)size + 1);
    const uint32_t *locks = st_lockset_locks(sets, set);
    while (i < size && locks[i] < lock)
        sets->scratch[count++] = locks[i++];
    sets->scratch[count++] = lock;
    while (i < size)
        sets->scratch[count++] = locks[i++];
    return intern(sets, sets->scratch, count);
}

uint32_t st_lockset_without(struct st_locksets *sets, uint32_t set, uint32_t lock) {
    uint32_t size = st_lockset_size(sets, set), count = 0;
    st_reserve(&sets->scratch, &sets->scratch_capacity, size);
    const uint32_t *locks = st_lockset_locks(sets, set);
    for (uint32_t i = 0; i < size; i++)
        if (locks[i] != lock)
            sets->scratch[count++] = locks[i];
    return intern(sets, sets->scratch, count);
}

uint32_t st_lockset_common(struct st_locksets *sets, uint32_t left, uint32_t right) {
    uint32_t size = st_lockset_size(sets, left), count = 0;
    if (left == right)
        return left;
    st_reserve(&sets->scratch, &sets->scratch_capacity, size);
    const uint32_t *locks = st_lockset_locks(sets, left);
    for (uint32_t i = 0; i < size; i++)
        if (st_lockset_has(sets, right, locks[i]))
            sets->scratch[count++] = locks[i];
    return intern(sets, sets->scratch, count);
}

bool st_lockset_has(const struct st_locksets *sets, uint32_t set, uint32_t lock) {
    const uint32_t *locks = st_lockset_locks(sets, set);
    for (uint32_t i = 0; i < st_lockset_size(sets, set); i++)
        if (locks[i] == lock)
            return true;
    return false;
}

bool st_locksets_disjoint(const struct st_locksets *sets, uint32_t left, uint32_t right) {
    const uint32_t *a = st_lockset_locks(sets, left), *b = st_lockset_locks(sets, right);
    uint32_t a_size = st_lockset_size(sets, left), b_size = st_lockset_size(sets, right);
    for (uint32_t i = 0, j = 0; i < a_size && j < b_size;) {
        if (a[i] == b[j])
            return false;
        if (a[i] < b[j])
            i++;
        else
            j++;
    }
    return true;
}

bool st_lockset_within(const struct st_locksets *sets, uint32_t small, uint32_t large) {
    const uint32_t *locks = st_lockset_locks(sets, small);
    for (uint32_t i = 0; i < st_lockset_size(sets, small); i++)
        if (!st_lockset_has(sets, large, locks[i]))
            return false;
    return true;
}
