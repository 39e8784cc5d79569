#include "check/published/dense_clock.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void make_room(struct st_dense_clock *clock, uint32_t count, size_t *bytes) {
    if (count <= clock->count)
        return;
    clock->times = st_realloc(clock->times, count, sizeof *clock->times);
    memset(clock->times + clock->count, 0, (count - clock->count) * sizeof *clock->times);
    *bytes += (count - clock->count) * sizeof *clock->times;
    clock->count = count;
}

void st_dense_set(struct st_dense_clock *clock, uint32_t thread, uint32_t time, size_t *bytes) {
    make_room(clock, thread + 1, bytes);
    clock->times[thread] = time;
}

bool st_dense_join(struct st_dense_clock *clock, const struct st_dense_clock *other,
                   size_t *bytes) {
    bool news = false;
    make_room(clock, other->count, bytes);
    for (uint32_t t = 0; t < other->count; t++)
        if (clock->times[t] < other->times[t]) {
            clock->times[t] = other->times[t];
            news = true;
        }
    return news;
}

void st_dense_join_but(struct st_dense_clock *clock, const struct st_dense_clock *other,
                       uint32_t thread, size_t *bytes) {
    uint32_t before = st_dense_get(clock, thread);
    st_dense_join(clock, other, bytes);
    if (thread < clock->count)
        clock->times[thread] = before;
}

void st_dense_assign(struct st_dense_clock *clock, const struct st_dense_clock *other,
                     size_t *bytes) {
    make_room(clock, other->count, bytes);
    if (other->count)
        memcpy(clock->times, other->times, other->count * sizeof *clock->times);
    for (uint32_t t = other->count; t < clock->count; t++)
        clock->times[t] = 0;
}

bool st_dense_below(const struct st_dense_clock *clock, const struct st_dense_clock *other) {
    for (uint32_t t = 0; t < clock->count; t++)
        if (clock->times[t] > st_dense_get(other, t))
            return false;
    return true;
}

void st_dense_clear(struct st_dense_clock *clock, size_t *bytes) {
    *bytes -= clock->count * sizeof *clock->times;
    free(clock->times);
    *clock = (struct st_dense_clock){.count = 0};
}
