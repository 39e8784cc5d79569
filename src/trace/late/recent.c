#include "trace/late/recent.h"

#include "base/memory.h"

#include <stdlib.h>

/* A late access mostly belongs behind one of the last dozens of events of its thread. */
enum { FEWEST = 16, MOST = 1024 };

void st_recent_add(struct st_recent *recent, uint64_t at, uint64_t number) {
    if (recent->count == recent->capacity && recent->capacity < MOST) {
        recent->capacity = recent->capacity ? 2 * recent->capacity : FEWEST;
        recent->ring = st_realloc(recent->ring, recent->capacity, sizeof *recent->ring);
    }
    recent->ring[recent->count++ & (recent->capacity - 1)] = (struct st_recent_event){at, number};
}

bool st_recent_find(const struct st_recent *recent, uint64_t at, uint64_t *number) {
    uint64_t oldest = recent->count > recent->capacity ? recent->count - recent->capacity : 0;
    uint64_t low = oldest, high = recent->count; /* those before `low` have no larger position */
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (recent->ring[middle & (recent->capacity - 1)].at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    *number = low > oldest ? recent->ring[(low - 1) & (recent->capacity - 1)].number : 0;
    return low > oldest || !oldest;
}

void st_recent_free(struct st_recent *recent) {
    free(recent->ring);
}
