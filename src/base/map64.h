/* Arbitrary 64-bit ids (addresses, handles), as numbers and in sets. */
#ifndef SERIATIM_BASE_MAP64_H
#define SERIATIM_BASE_MAP64_H

#include "base/hash_table.h"

/* Each distinct id gets the next number, starting from 0: the counterpart of names.h for programs
 * that feed events from memory.
 *
 * Invariants: the id of number i is ids[i]; the table has, for each id, the last number that it was
 * given. */
struct st_map64 {
    struct st_hash_table table;
    uint64_t *ids;
    size_t ids_capacity;
    uint32_t count; /* numbers given */
};

#define ST_MAP64_NONE UINT32_MAX

void st_map64_init(struct st_map64 *map);
void st_map64_free(struct st_map64 *map);

/* The number of the id, new or known. At most UINT32_MAX - 1 numbers; beyond that,
 * ST_MAP64_NONE. */
uint32_t st_map64_number(struct st_map64 *map, uint64_t id);

/* The number of a known id, or ST_MAP64_NONE. */
uint32_t st_map64_find(const struct st_map64 *map, uint64_t id);

/* Gives the id the next number, also if it is known: from now on it means something new. The old
 * number keeps the id in ids[]. */
uint32_t st_map64_renew(struct st_map64 *map, uint64_t id);

size_t st_map64_memory(const struct st_map64 *map);

/* A small set of ids that is emptied often. All zero is the empty set. */
struct st_set64 {
    struct st_hash_table table;
};

void st_set64_free(struct st_set64 *set);

/* True when the id was not in the set. */
bool st_set64_add(struct st_set64 *set, uint64_t id);
void st_set64_clear(struct st_set64 *set);

#endif
