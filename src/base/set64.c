#include "base/set64.h"

enum { WIDTH = 1, FIRST_SLOTS = 16 };

static uint64_t hash_of(const uint64_t *number) {
    return *number * UINT64_C(0x9E3779B97F4A7C15) >> 32;
}

void st_set64_free(struct st_set64 *set) {
    st_hash_free(&set->table, WIDTH);
}

bool st_set64_add(struct st_set64 *set, uint64_t number) {
    if (st_hash_is_full(&set->table))
        st_hash_grow(&set->table, WIDTH, FIRST_SLOTS, hash_of);
    uint64_t *slot = st_hash_find(&set->table, WIDTH, &number, hash_of(&number), NULL, NULL);
    if (slot[WIDTH])
        return false;
    st_hash_enter(&set->table, WIDTH, slot, &number, 0);
    return true;
}

void st_set64_clear(struct st_set64 *set) {
    if (!set->table.used)
        return;
    if (set->table.slot_count > FIRST_SLOTS && set->table.used < set->table.slot_count / 8)
        st_set64_free(set); /* mostly empty: clearing would cost more than it was used */
    else
        st_hash_clear(&set->table, WIDTH, set->table.slot_count);
}
