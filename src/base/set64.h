/* A small set of 64-bit numbers other than 0 that is emptied often. */
#ifndef SERIATIM_BASE_SET64_H
#define SERIATIM_BASE_SET64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is the empty set. Invariant: `slots` is a power of two or 0, and at most 3/4 full. */
struct st_set64 {
    uint64_t *table;
    size_t slots, count;
};

void st_set64_free(struct st_set64 *set);

/* True when the number was not in the set. */
bool st_set64_add(struct st_set64 *set, uint64_t number);
void st_set64_clear(struct st_set64 *set);

#endif
