/* Finds which of many address ranges holds an address. Ranges may nest and overlap. */
#ifndef SERIATIM_SYMBOL_ADDRESS_RANGES_H
#define SERIATIM_SYMBOL_ADDRESS_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct st_address_range {
    uint64_t low, high; /* [low, high) */
    uint64_t furthest;  /* the largest `high` of this range and those before it, once sorted */
    uint32_t what;      /* for the owner: what lies there */
};

/* All zero is empty. */
struct st_address_ranges {
    struct st_address_range *list;
    size_t count, capacity;
};

void st_address_ranges_free(struct st_address_ranges *ranges);

/* Empty ranges are not added. */
void st_address_ranges_add(struct st_address_ranges *ranges, uint64_t low, uint64_t high,
                           uint32_t what);

/* Call this after adding and before finding. */
void st_address_ranges_sort(struct st_address_ranges *ranges);

/* The innermost range that holds the address: the one that starts last; among equals the shortest,
 * and then the one that was added first (`what` must be ascending). NULL if there is none. */
const struct st_address_range *st_address_ranges_find(const struct st_address_ranges *ranges,
                                                      uint64_t address);

#endif
