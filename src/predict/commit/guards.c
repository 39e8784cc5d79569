#include "predict/commit/guards.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void st_guard_free(struct st_guard *guard) {
    free(guard->locks);
}

static void start(struct st_guard *guard, const uint32_t *locks, uint32_t count) {
    st_reserve(&guard->locks, &guard->capacity, (size_t)count + 1);
    if (count)
        memcpy(guard->locks, locks, count * sizeof *locks);
    guard->count = count;
    guard->any = true;
}

void st_guard_meet(struct st_guard *guard, const uint32_t *locks, uint32_t count) {
    uint32_t kept = 0;
    if (!guard->any) {
        start(guard, locks, count);
        return;
    }
    for (uint32_t i = 0, j = 0; i < guard->count && j < count;) {
        if (guard->locks[i] == locks[j])
            guard->locks[kept++] = locks[j];
        uint32_t lock = guard->locks[i];
        i += lock <= locks[j];
        j += lock >= locks[j];
    }
    guard->count = kept;
}

void st_guard_meet_set(struct st_guard *guard, const struct st_locksets *sets, uint32_t set) {
    st_guard_meet(guard, st_lockset_locks(sets, set), st_lockset_size(sets, set));
}

uint32_t st_guard_list_add(struct st_guard_list *list, const struct st_guard *guard) {
    size_t begin = list->count;
    st_reserve(&list->words, &list->capacity, begin + guard->count + 1);
    list->words[begin] = guard->count;
    if (guard->count)
        memcpy(&list->words[begin + 1], guard->locks, guard->count * sizeof *guard->locks);
    list->count += (size_t)guard->count + 1;
    return (uint32_t)begin;
}

uint32_t st_guard_list_number(const struct st_guard_list *list, uint32_t begin,
                              struct st_locksets *sets) {
    return st_lockset_of(sets, &list->words[begin + 1], list->words[begin]);
}
