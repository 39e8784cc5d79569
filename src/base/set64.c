#include "base/set64.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { FEW_SLOTS = 16 };

void st_set64_free(struct st_set64 *set) {
    free(set->table);
    memset(set, 0, sizeof *set);
}

/* The slot with the number, or the free slot where it belongs. */
static uint64_t *find(const struct st_set64 *set, uint64_t number) {
    size_t mask = set->slots - 1;
    size_t i = (size_t)(number * UINT64_C(0x9E3779B97F4A7C15) >> 32) & mask;
    while (set->table[i] && set->table[i] != number)
        i = (i + 1) & mask;
    return &set->table[i];
}

static void grow(struct st_set64 *set) {
    struct st_set64 larger = {.slots = set->slots ? 2 * set->slots : FEW_SLOTS,
                              .count = set->count};
    larger.table = st_alloc(larger.slots, sizeof *larger.table);
    for (size_t i = 0; i < set->slots; i++)
        if (set->table[i])
            *find(&larger, set->table[i]) = set->table[i];
    free(set->table);
    *set = larger;
}

bool st_set64_add(struct st_set64 *set, uint64_t number) {
    if (4 * (set->count + 1) > 3 * set->slots)
        grow(set);
    uint64_t *slot = find(set, number);
    if (*slot)
        return false;
    *slot = number;
    set->count++;
    return true;
}

void st_set64_clear(struct st_set64 *set) {
    if (!set->count)
        return;
    if (set->slots > FEW_SLOTS && set->count < set->slots / 8) {
        st_set64_free(set); /* mostly empty: clearing would cost more than it was used */
        return;
    }
    memset(set->table, 0, set->slots * sizeof *set->table);
    set->count = 0;
}
