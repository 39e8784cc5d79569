#include "watch/moments.h"

#include "base/memory.h"

#include <stdlib.h>

void st_moments_keep(struct st_moments *moments) {
    moments->ring = st_alloc(ST_MOMENTS, sizeof *moments->ring);
}

void st_moments_free(struct st_moments *moments) {
    free(moments->ring);
    *moments = (struct st_moments){0};
}

struct st_context_moment st_moments_find(const struct st_moments *moments, uint64_t at) {
    size_t end = moments->count, least = end > ST_MOMENTS ? end - ST_MOMENTS : 0;
    size_t low = least, high = end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (moments->ring[middle % ST_MOMENTS].at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low == least ? (struct st_context_moment){0} : moments->ring[(low - 1) % ST_MOMENTS];
}
