/* Sets of locks as numbers: equal sets have equal numbers. Set 0 is the empty one. */
#ifndef SERIATIM_PREDICT_MODEL_LOCKSETS_H
#define SERIATIM_PREDICT_MODEL_LOCKSETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct st_lockset {
    uint32_t first; /* in st_locksets.locks */
    uint32_t count;
    uint32_t next; /* with the same hash; 0 ends the list, since the empty set needs no look-up */
    uint32_t hash;
};

struct st_locksets {
    struct st_lockset *items;
    size_t count, capacity;
    uint32_t *locks; /* of all sets, each ascending */
    size_t lock_count, lock_capacity;
    uint32_t *heads; /* a power of two of them */
    size_t head_count;
    uint32_t *scratch;
    size_t scratch_capacity;
};

void st_locksets_init(struct st_locksets *sets);
void st_locksets_free(struct st_locksets *sets);
size_t st_locksets_memory(const struct st_locksets *sets);

/* The set of these locks, which are different and in any order. */
uint32_t st_lockset_of(struct st_locksets *sets, const uint32_t *locks, size_t count);

uint32_t st_lockset_with(struct st_locksets *sets, uint32_t set, uint32_t lock);
uint32_t st_lockset_without(struct st_locksets *sets, uint32_t set, uint32_t lock);
uint32_t st_lockset_common(struct st_locksets *sets, uint32_t left, uint32_t right);

static inline const uint32_t *st_lockset_locks(const struct st_locksets *sets, uint32_t set) {
    return sets->locks + sets->items[set].first;
}

static inline uint32_t st_lockset_size(const struct st_locksets *sets, uint32_t set) {
    return sets->items[set].count;
}

bool st_lockset_has(const struct st_locksets *sets, uint32_t set, uint32_t lock);
bool st_locksets_disjoint(const struct st_locksets *sets, uint32_t left, uint32_t right);
bool st_lockset_within(const struct st_locksets *sets, uint32_t small, uint32_t large);

#endif
