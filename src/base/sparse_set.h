/* A set of large numbers that finds the nearest member quickly, however far away it is.
 *
 * A tree of words of 64 bits: a bit of the lowest level is a member, and a bit of each other level
 * stands for a word below it that is not 0. All words are in one table, by level and place, so
 * only those that were ever used take memory. */
#ifndef SERIATIM_BASE_SPARSE_SET_H
#define SERIATIM_BASE_SPARSE_SET_H

#include "base/map64.h"

/* Invariant: words[i] is the word with the map's number i; others are 0. */
struct st_sparse_set {
    struct st_map64 map;
    uint64_t *words;
    size_t capacity;
};

/* No member is larger. */
#define ST_SPARSE_LIMIT ((UINT64_C(1) << 60) - 1)
#define ST_SPARSE_NONE UINT64_MAX

void st_sparse_init(struct st_sparse_set *set);
void st_sparse_free(struct st_sparse_set *set);

void st_sparse_add(struct st_sparse_set *set, uint64_t number);
void st_sparse_remove(struct st_sparse_set *set, uint64_t number);

/* The smallest member that is not smaller than the number, or ST_SPARSE_NONE. */
uint64_t st_sparse_next(const struct st_sparse_set *set, uint64_t number);

/* The largest member that is not larger than the number, or ST_SPARSE_NONE. */
uint64_t st_sparse_last(const struct st_sparse_set *set, uint64_t number);

#endif
