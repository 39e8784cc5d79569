#include "base/map64.h"

#include <stdlib.h>

enum { WIDTH = 1, FIRST_SLOTS = 64 };

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
