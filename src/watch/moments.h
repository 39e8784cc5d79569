/* What a thread has called and held, and since when: for accesses that are told late. */
#ifndef SERIATIM_WATCH_MOMENTS_H
#define SERIATIM_WATCH_MOMENTS_H

#include <stddef.h>
#include <stdint.h>

/* From an epoch on; numbers of the sites (sites.h). */
struct st_context_moment {
    uint64_t at;
    uint32_t call, held;
};

/* The last ones of them; what is older is not known any more. All zero: none are kept. */
enum { ST_MOMENTS = 1024 };
struct st_moments {
    struct st_context_moment *ring;
    size_t count; /* of all that were added */
};

void st_moments_keep(struct st_moments *moments);
void st_moments_free(struct st_moments *moments);

static inline void st_moments_add(struct st_moments *moments, struct st_context_moment moment) {
    if (moments->ring)
        moments->ring[moments->count++ % ST_MOMENTS] = moment;
}

/* What was in that epoch; all zero when it is not known. */
struct st_context_moment st_moments_find(const struct st_moments *moments, uint64_t at);

#endif
