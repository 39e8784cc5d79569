/* A vector clock as the papers have it: an array with an entry for each thread. Entries beyond the
 * end are 0, so that clocks grow with the number of threads. All zero is the clock that knows
 * nothing. `bytes` counts what all clocks of an engine take. */
#ifndef SERIATIM_CHECK_PUBLISHED_DENSE_CLOCK_H
#define SERIATIM_CHECK_PUBLISHED_DENSE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct st_dense_clock {
    uint32_t *times;
    uint32_t count;
};

static inline uint32_t st_dense_get(const struct st_dense_clock *clock, uint32_t thread) {
    return thread < clock->count ? clock->times[thread] : 0;
}

void st_dense_set(struct st_dense_clock *clock, uint32_t thread, uint32_t time, size_t *bytes);

/* True if that taught `clock` anything. */
bool st_dense_join(struct st_dense_clock *clock, const struct st_dense_clock *other, size_t *bytes);

/* The same, with the entry of one thread left out. */
void st_dense_join_but(struct st_dense_clock *clock, const struct st_dense_clock *other,
                       uint32_t thread, size_t *bytes);

void st_dense_assign(struct st_dense_clock *clock, const struct st_dense_clock *other,
                     size_t *bytes);

/* Is each entry at most that of the other? */
bool st_dense_below(const struct st_dense_clock *clock, const struct st_dense_clock *other);

/* Makes it know nothing, and releases its memory. */
void st_dense_clear(struct st_dense_clock *clock, size_t *bytes);

#endif
