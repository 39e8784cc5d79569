/* The last events of a thread that were on time, by their positions. */
#ifndef SERIATIM_TRACE_LATE_RECENT_H
#define SERIATIM_TRACE_LATE_RECENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is empty. Invariant: positions do not fall, and event i is at i modulo the capacity,
 * which is a power of two. */
struct st_recent {
    struct st_recent_event {
        uint64_t at, number;
    } * ring;
    size_t capacity;
    uint64_t count; /* of all that were added */
};

void st_recent_add(struct st_recent *recent, uint64_t at, uint64_t number);

/* The number of the last event that has no larger position; *number is 0 if none ever had. False:
 * that was too long ago. */
bool st_recent_find(const struct st_recent *recent, uint64_t at, uint64_t *number);

void st_recent_free(struct st_recent *recent);

#endif
