/* What an engine had to do, for tables like those of the papers. */
#ifndef SERIATIM_FINDING_COUNTERS_H
#define SERIATIM_FINDING_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

enum { ST_MOST_COUNTERS = 8 };

/* Names are in lower case with underscores, and outlive the counters. Counters of different engines
 * with one name mean the same. */
struct st_counters {
    struct st_counter {
        const char *name;
        uint64_t value;
    } items[ST_MOST_COUNTERS];
    size_t count;
};

/* Adds a counter. Beyond ST_MOST_COUNTERS nothing is added. */
static inline void st_count(struct st_counters *counters, const char *name, uint64_t value) {
    if (counters->count < ST_MOST_COUNTERS)
        counters->items[counters->count++] = (struct st_counter){name, value};
}

#endif
