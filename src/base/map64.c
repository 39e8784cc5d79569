#include "base/map64.h"

#include <stdlib.h>

enum { WIDTH = 1, FIRST_SLOTS = 64, FIRST_MEMBERS = 16 };

/* ---- numbers ---- */

/* Addresses differ in their middle bits and agree in their low ones; multiplication carries every
 * bit upwards, and the shift brings the top down to where the table looks. */
static inline uint64_t hash_of(const uint64_t *id) {
    uint64_t hash = (*id ^ *id >> 32) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

static void grow(struct st_map64 *map) {
    st_hash_grow(&map->table, WIDTH, FIRST_SLOTS, hash_of);
}

void st_map64_init(struct st_map64 *map) {
    *map = (struct st_map64){.count = 0};
    grow(map);
}

void st_map64_free(struct st_map64 *map) {
    st_hash_free(&map->table, WIDTH);
    free(map->ids);
    *map = (struct st_map64){.count = 0};
}

static inline uint64_t *find_slot(const struct st_map64 *map, uint64_t id) {
    return st_hash_find(&map->table, WIDTH, &id, hash_of(&id), NULL, NULL);
}

static __attribute__((noinline)) uint32_t add(struct st_map64 *map, uint64_t id) {
    if (map->count >= ST_MAP64_NONE - 1)
        return ST_MAP64_NONE;
    if (st_hash_is_full(&map->table))
        grow(map);
    st_reserve(&map->ids, &map->ids_capacity, (size_t)map->count + 1);
    map->ids[map->count] = id;
    uint64_t *slot = find_slot(map, id);
    if (slot[WIDTH])
        slot[WIDTH] = (uint64_t)map->count + 1;
    else
        st_hash_enter(&map->table, WIDTH, slot, &id, map->count);
    return map->count++;
}

uint32_t st_map64_number(struct st_map64 *map, uint64_t id) {
    const uint64_t *slot = find_slot(map, id);
    return slot[WIDTH] ? (uint32_t)(slot[WIDTH] - 1) : add(map, id);
}

uint32_t st_map64_find(const struct st_map64 *map, uint64_t id) {
    const uint64_t *slot = find_slot(map, id);
    return slot[WIDTH] ? (uint32_t)(slot[WIDTH] - 1) : ST_MAP64_NONE;
}

uint32_t st_map64_renew(struct st_map64 *map, uint64_t id) {
    return add(map, id);
}

size_t st_map64_memory(const struct st_map64 *map) {
    return map->table.slot_count * st_hash_slot_bytes(WIDTH) + map->ids_capacity * sizeof *map->ids;
}

/* ---- sets ---- */

static uint64_t hash_member(const uint64_t *id) {
    return *id * UINT64_C(0x9E3779B97F4A7C15) >> 32;
}

void st_set64_free(struct st_set64 *set) {
    st_hash_free(&set->table, WIDTH);
}

bool st_set64_add(struct st_set64 *set, uint64_t id) {
    if (st_hash_is_full(&set->table))
        st_hash_grow(&set->table, WIDTH, FIRST_MEMBERS, hash_member);
    uint64_t *slot = st_hash_find(&set->table, WIDTH, &id, hash_member(&id), NULL, NULL);
    if (slot[WIDTH])
        return false;
    st_hash_enter(&set->table, WIDTH, slot, &id, 0);
    return true;
}

void st_set64_clear(struct st_set64 *set) {
    if (!set->table.used)
        return;
    if (set->table.slot_count > FIRST_MEMBERS && set->table.used < set->table.slot_count / 8)
        st_set64_free(set); /* mostly empty: clearing would cost more than it was used */
    else
        st_hash_clear(&set->table, WIDTH, set->table.slot_count);
}
