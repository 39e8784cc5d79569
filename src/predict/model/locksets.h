/* Sets of locks as numbers: equal sets have equal numbers. Set 0 is empty. */
#ifndef SERIATIM_PREDICT_MODEL_LOCKSETS_H
#define SERIATIM_PREDICT_MODEL_LOCKSETS_H

#include "base/intern.h"

struct st_locksets {
    struct st_intern sets; /* the locks of each, ascending */
    uint32_t *scratch;
    size_t scratch_capacity;
};

void st_locksets_init(struct st_locksets *sets);
void st_locksets_free(struct st_locksets *sets);

/* The set of these locks, which are distinct and in any order. */
uint32_t st_lockset_of(struct st_locksets *sets, const uint32_t *locks, size_t count);

uint32_t st_lockset_with(struct st_locksets *sets, uint32_t set, uint32_t lock);
uint32_t st_lockset_without(struct st_locksets *sets, uint32_t set, uint32_t lock);
uint32_t st_lockset_common(struct st_locksets *sets, uint32_t left, uint32_t right);

static inline const uint32_t *st_lockset_locks(const struct st_locksets *sets, uint32_t set) {
    return st_intern_key(&sets->sets, set);
}

static inline uint32_t st_lockset_size(const struct st_locksets *sets, uint32_t set) {
    return (uint32_t)(st_intern_size(&sets->sets, set) / sizeof(uint32_t));
}

bool st_lockset_has(const struct st_locksets *sets, uint32_t set, uint32_t lock);
bool st_locksets_disjoint(const struct st_locksets *sets, uint32_t left, uint32_t right);
bool st_lockset_within(const struct st_locksets *sets, uint32_t small, uint32_t large);

#endif
