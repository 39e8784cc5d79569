#include "trace/late/position.h"

#include "base/memory.h"

#include <stdlib.h>

enum { LATENESS_BITS = 3 };

void st_positions_free(struct st_positions *positions) {
    free(positions->last);
}

static uint64_t *last_of(struct st_positions *positions, uint32_t thread) {
    st_reserve(&positions->last, &positions->capacity, (size_t)thread + 1);
    return &positions->last[thread];
}

/* Small numbers of either sign as small ones. */
static uint64_t fold(uint64_t difference) {
    return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static uint64_t unfold(uint64_t folded) {
    return folded >> 1 ^ (folded & 1 ? UINT64_MAX : 0);
}

struct st_access_value st_position_word(struct st_positions *positions, uint32_t thread,
                                        uint64_t at, enum st_lateness lateness) {
    uint64_t *last = last_of(positions, thread);
    uint64_t word = fold(at - *last) << LATENESS_BITS | lateness;
    if (lateness == ST_ON_TIME || lateness == ST_MARK)
        *last = at;
    return (struct st_access_value){.held = word, .known = ST_HELD_KNOWN};
}

uint64_t st_position_of(struct st_positions *positions, uint32_t thread,
                        const struct st_access_value *word, enum st_lateness *lateness) {
    uint64_t *last = last_of(positions, thread);
    uint64_t at = *last + unfold(word->held >> LATENESS_BITS);
    *lateness = word->held & ((1 << LATENESS_BITS) - 1);
    if (*lateness == ST_ON_TIME || *lateness == ST_MARK)
        *last = at;
    return at;
}
