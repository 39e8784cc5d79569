/* A small set of 64-bit numbers that is emptied often. */
#ifndef SERIATIM_BASE_SET64_H
#define SERIATIM_BASE_SET64_H

#include "base/hash_table.h"

/* All zero is the empty set. */
struct st_set64 {
    struct st_hash_table table;
};

void st_set64_free(struct st_set64 *set);

/* True when the number was not in the set. */
bool st_set64_add(struct st_set64 *set, uint64_t number);
void st_set64_clear(struct st_set64 *set);

#endif
