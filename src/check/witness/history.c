#include "check/witness/history.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#ifdef SERIATIM_STRESS
enum { FEWEST_MOMENTS = 1, ALWAYS_THIN = 1 };
#else
enum {
    FEWEST_MOMENTS = 32, /* fewer are not worth merging */
    ALWAYS_THIN = 0,
};
#endif

void st_history_free(struct st_history *history) {
    free(history->items);
}

size_t st_history_memory(const struct st_history *history) {
    return history->capacity * sizeof *history->items;
}

/* Before growing, reuses the room of what is forgotten, if that is half of all: then as many
 * moments were added since the last move as this one moves. */
static void make_room(struct st_history *history) {
    if (history->start + history->count < history->capacity)
        return;
    if (history->start >= history->count && history->start) {
        memmove(history->items, &history->items[history->start],
                history->count * sizeof *history->items);
        history->start = 0;
    } else {
        st_reserve(&history->items, &history->capacity, history->start + history->count + 1);
    }
}

void st_history_forget(struct st_history *history, st_time live_from) {
    while (history->count > 1 && history->items[history->start].time < live_from) {
        history->start++;
        history->count--;
    }
}

bool st_history_add(struct st_history *history, const struct st_moment *moment, st_time live_from) {
    struct st_moment *latest = st_history_latest(history);
    if (latest && latest->number == moment->number) {
        *latest = *moment;
        return history->count > history->thin_at;
    }
    if (!history->thin_at)
        history->thin_at = FEWEST_MOMENTS;
    st_history_forget(history, live_from);
    make_room(history);
    history->items[history->start + history->count++] = *moment;
    return history->count > history->thin_at;
}

const struct st_moment *st_history_find(const struct st_history *history, uint64_t position) {
    const struct st_moment *items = history->items + history->start;
    size_t behind;
    st_lower_bound(behind, 0, history->count, items[behind].position <= position);
    return behind ? &items[behind - 1] : NULL;
}

const struct st_moment *st_history_at(const struct st_history *history, uint64_t number) {
    const struct st_moment *items = history->items + history->start;
    size_t behind;
    if (items[history->count - 1].number <= number)
        return &items[history->count - 1];
    st_lower_bound(behind, 0, history->count - 1, items[behind].number <= number);
    return &items[behind ? behind - 1 : 0];
}

uint64_t st_history_since(const struct st_history *history, st_time time) {
    const struct st_moment *items = history->items + history->start;
    size_t first;
    st_lower_bound(first, 0, history->count, items[first].time < time);
    return first < history->count ? items[first].number : UINT64_MAX;
}

void st_history_undo(struct st_history *history) {
    history->count -= history->count > 1;
}

void st_history_thin(struct st_history *history,
                     bool (*alike)(void *context, const struct st_moment *older,
                                   const struct st_moment *newer),
                     void *context) {
    struct st_moment *items = history->items + history->start;
    size_t kept = history->count ? 1 : 0;
    for (size_t i = 1; i < history->count; i++)
        if (!alike(context, &items[kept - 1], &items[i]))
            items[kept++] = items[i];
    history->count = kept;
    history->thin_at = 2 * kept > FEWEST_MOMENTS ? 2 * kept : FEWEST_MOMENTS;
    if (ALWAYS_THIN)
        history->thin_at = 1;
}
