#include "symbol/address_ranges.h"

#include "base/lower_bound.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void st_address_ranges_free(struct st_address_ranges *ranges) {
    free(ranges->list);
    memset(ranges, 0, sizeof *ranges);
}

void st_address_ranges_add(struct st_address_ranges *ranges, uint64_t low, uint64_t high,
                           uint32_t what) {
    if (low >= high)
        return;
    st_reserve(&ranges->list, &ranges->capacity, ranges->count + 1);
    ranges->list[ranges->count++] =
        (struct st_address_range){.low = low, .high = high, .what = what};
}

static int compare(uint64_t one, uint64_t other) {
    return (one > other) - (one < other);
}

/* The better answer is sorted last, because look-ups go backwards. */
static int in_order(const void *first, const void *second) {
    const struct st_address_range *one = first, *other = second;
    int order = compare(one->low, other->low);
    if (!order)
        order = compare(other->high, one->high);
    return order ? order : compare(other->what, one->what);
}

void st_address_ranges_sort(struct st_address_ranges *ranges) {
    if (ranges->count)
        qsort(ranges->list, ranges->count, sizeof *ranges->list, in_order);
    uint64_t furthest = 0;
    for (size_t i = 0; i < ranges->count; i++) {
        if (ranges->list[i].high > furthest)
            furthest = ranges->list[i].high;
        ranges->list[i].furthest = furthest;
    }
}

const struct st_address_range *st_address_ranges_find(const struct st_address_ranges *ranges,
                                                      uint64_t address) {
    size_t at; /* the first that starts behind the address */
    st_lower_bound(at, 0, ranges->count, ranges->list[at].low <= address);
    while (at-- > 0 && ranges->list[at].furthest > address)
        if (ranges->list[at].high > address)
            return &ranges->list[at];
    return NULL;
}
