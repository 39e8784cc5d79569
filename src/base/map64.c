#include "base/map64.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void st_map64_init(struct st_map64 *map) {
    memset(map, 0, sizeof *map);
    map->slot_count = 64;
    map->slots = st_alloc(map->slot_count, sizeof *map->slots);
}

void st_map64_free(struct st_map64 *map) {
    free(map->slots);
    free(map->ids);
    memset(map, 0, sizeof *map);
}

/* Addresses differ in their middle bits and agree in their low ones; multiplication carries every
 * bit upwards, and the shift brings the top down to where the mask looks. */
static size_t home(const struct st_map64 *map, uint64_t id) {
    uint64_t hash = (id ^ id >> 32) * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(hash ^ hash >> 32) & (map->slot_count - 1);
}

/* The slot that holds the id, or the free slot where it belongs. */
static struct st_map64_slot *find_slot(const struct st_map64 *map, uint64_t id) {
    size_t mask = map->slot_count - 1;
    size_t i = home(map, id);
    while (map->slots[i].next && map->slots[i].id != id)
        i = (i + 1) & mask;
    return &map->slots[i];
}

static void double_slots(struct st_map64 *map) {
    struct st_map64_slot *old = map->slots;
    size_t old_count = map->slot_count;
    map->slot_count *= 2;
    map->slots = st_alloc(map->slot_count, sizeof *map->slots);
    for (size_t i = 0; i < old_count; i++)
        if (old[i].next)
            *find_slot(map, old[i].id) = old[i];
    free(old);
}

static __attribute__((noinline)) uint32_t add(struct st_map64 *map, uint64_t id) {
    if (map->count >= ST_MAP64_NONE - 1)
        return ST_MAP64_NONE;
    if (map->used + map->used / 2 >= map->slot_count)
        double_slots(map);
    st_reserve(&map->ids, &map->ids_capacity, (size_t)map->count + 1);
    map->ids[map->count] = id;
    struct st_map64_slot *slot = find_slot(map, id);
    if (!slot->next)
        map->used++;
    slot->id = id;
    slot->next = ++map->count;
    return map->count - 1;
}

uint32_t st_map64_number(struct st_map64 *map, uint64_t id) {
    const struct st_map64_slot *slot = find_slot(map, id);
    return slot->next ? slot->next - 1 : add(map, id);
}

uint32_t st_map64_find(const struct st_map64 *map, uint64_t id) {
    const struct st_map64_slot *slot = find_slot(map, id);
    return slot->next ? slot->next - 1 : ST_MAP64_NONE;
}

uint32_t st_map64_renew(struct st_map64 *map, uint64_t id) {
    return add(map, id);
}

size_t st_map64_memory(const struct st_map64 *map) {
    return map->slot_count * sizeof *map->slots + map->ids_capacity * sizeof *map->ids;
}
