#include "watch/pairs.h"

#include "base/memory.h"

#include <stdlib.h>

void st_pairs_free(struct st_pairs *pairs) {
    free(pairs->list);
    free(pairs->slots);
    *pairs = (struct st_pairs){0};
}

static uint32_t *find_slot(const struct st_pairs *pairs, uint64_t a, uint64_t b) {
    size_t mask = pairs->slot_count - 1;
    for (size_t i = st_pairs_hash(a, b) & mask;; i = (i + 1) & mask) {
        uint32_t number = pairs->slots[i];
        if (!number || (pairs->list[number - 1].a == a && pairs->list[number - 1].b == b))
            return &pairs->slots[i];
    }
}

static void grow(struct st_pairs *pairs) {
    free(pairs->slots);
    pairs->slot_count = pairs->slot_count ? 2 * pairs->slot_count : 256;
    pairs->slots = st_alloc(pairs->slot_count, sizeof *pairs->slots);
    for (size_t i = 0; i < pairs->count; i++)
        *find_slot(pairs, pairs->list[i].a, pairs->list[i].b) = (uint32_t)i + 1;
}

uint32_t st_pairs_find(const struct st_pairs *pairs, uint64_t a, uint64_t b) {
    return pairs->slot_count ? *find_slot(pairs, a, b) : 0;
}

uint32_t st_pairs_number_slow(struct st_pairs *pairs, uint64_t a, uint64_t b) {
    if (2 * (pairs->count + 1) > pairs->slot_count)
        grow(pairs);
    uint32_t *slot = find_slot(pairs, a, b);
    if (!*slot) {
        st_reserve(&pairs->list, &pairs->capacity, pairs->count + 1);
        pairs->list[pairs->count++] = (struct st_pair){a, b};
        *slot = (uint32_t)pairs->count;
    }
    return *slot;
}
