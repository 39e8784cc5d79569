/* What is known of the values of accesses, beside the events themselves. Most traces know none. */
#ifndef SERIATIM_TRACE_VALUES_H
#define SERIATIM_TRACE_VALUES_H

#include "base/map64.h"

enum { ST_HELD_KNOWN = 1, ST_LEFT_KNOWN = 2 };

/* Of one access. An access of fewer than 8 bytes has zeros above them. */
struct st_access_value {
    uint64_t held; /* what the variable held before: for a read, what it read */
    uint64_t left; /* what it held after; only writes have that */
    uint8_t known; /* which of the two */
};

/* The same as numbers: of a variable, two values are equal if their numbers are. 0: not known. */
struct st_value_numbers {
    uint32_t held, left;
};

/* The values of the events of a trace as numbers, by the number of the event - 1. All zero is an
 * empty list. Events beyond the first ST_MOST_VALUES count as unknown. */
struct st_value_list {
    struct st_value_numbers *list;
    size_t count, capacity;
    struct st_map64 numbers;
    bool has_numbers; /* the map is there */
};
#define ST_MOST_VALUES ((size_t)1 << 24)

/* Adds what is known of `count` events, the first of which has that number; NULL: nothing. */
void st_value_list_add(struct st_value_list *list, const struct st_access_value *values,
                       size_t count, uint64_t first);
void st_value_list_free(struct st_value_list *list);

#endif
