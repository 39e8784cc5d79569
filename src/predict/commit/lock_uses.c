#include "predict/commit/lock_uses.h"

#include "base/lower_bound.h"
#include "base/memory.h"

#include <stdlib.h>

void st_lock_uses_free(struct st_lock_uses *uses) {
    free(uses->items);
}

/* ---- all of them ---- */

static int by_place(const void *left, const void *right) {
    const struct st_lock_use *a = left, *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->lock != b->lock)
        return a->lock < b->lock ? -1 : 1;
    if (a->releases != b->releases)
        return a->releases ? 1 : -1;
    return (a->number > b->number) - (a->number < b->number);
}

static void add_use(struct st_lock_uses *uses, uint32_t unit, uint32_t token, bool releases) {
    const struct st_unit *self = &uses->model->units[unit];
    st_reserve(&uses->items, &uses->capacity, uses->count + 1);
    uses->items[uses->count++] =
        (struct st_lock_use){.thread = self->thread,
                             .lock = st_unit_shape(uses->model, unit)->tokens[token].target,
                             .releases = releases,
                             .number = self->spots[token].number,
                             .unit = unit,
                             .token = token};
}

static void add_uses_of(struct st_lock_uses *uses, uint32_t unit) {
    const struct st_shape *shape = st_unit_shape(uses->model, unit);
    for (uint32_t i = 0; i < shape->count; i++)
        if (shape->tokens[i].kind == ST_TOKEN_ACQUIRE && shape->ends[i] == shape->count)
            add_use(uses, unit, i, false);
    for (uint32_t i = 0; i < shape->held_count; i++)
        if (shape->held_ends[i] < shape->count)
            add_use(uses, unit, shape->held_ends[i], true);
}

static void fill(struct st_lock_uses *uses) {
    if (uses->filled)
        return;
    uses->filled = true;
    for (uint32_t i = 0; i < uses->model->unit_count; i++)
        add_uses_of(uses, i);
    if (uses->count)
        qsort(uses->items, uses->count, sizeof *uses->items, by_place);
}

/* ---- one of them ---- */

/* How many come before it. */
static size_t count_before(const struct st_lock_uses *uses, const struct st_lock_use *use) {
    size_t at;
    st_lower_bound(at, 0, uses->count, by_place(&uses->items[at], use) < 0);
    return at;
}

static bool is_alike(const struct st_lock_use *a, const struct st_lock_use *b) {
    return a->thread == b->thread && a->lock == b->lock && a->releases == b->releases;
}

/* The last acquire of the lock before the event, or the first release behind it. Where that is told
 * as that of an equal unit, its number may be on the other side. NULL: there is none at all. */
static const struct st_lock_use *find_use(struct st_lock_uses *uses, uint32_t thread, uint32_t lock,
                                          bool releases, uint64_t number) {
    fill(uses);
    struct st_lock_use wanted = {
        .thread = thread, .lock = lock, .releases = releases, .number = number};
    size_t place = count_before(uses, &wanted);
    const struct st_lock_use *before = place ? &uses->items[place - 1] : NULL;
    const struct st_lock_use *behind = place < uses->count ? &uses->items[place] : NULL;
    const struct st_lock_use *first = releases ? behind : before;
    const struct st_lock_use *second = releases ? before : behind;
    if (first && is_alike(first, &wanted))
        return first;
    return second && is_alike(second, &wanted) ? second : NULL;
}

static uint32_t held_end(const struct st_shape *shape, uint32_t lock) {
    for (uint32_t i = 0; i < shape->held_count; i++)
        if (shape->held[i] == lock)
            return shape->held_ends[i];
    return shape->count;
}

struct st_place st_lock_acquire(struct st_lock_uses *uses, uint32_t unit, uint32_t token,
                                uint32_t lock) {
    const struct st_unit *self = &uses->model->units[unit];
    if (token != ST_NO_TOKEN)
        return st_unit_place(uses->model, unit, token);
    const struct st_lock_use *use = find_use(uses, self->thread, lock, false, self->begin);
    return use ? st_unit_place(uses->model, use->unit, use->token) : (struct st_place){0};
}

struct st_place st_lock_release(struct st_lock_uses *uses, uint32_t unit, uint32_t token,
                                uint32_t lock) {
    const struct st_unit *self = &uses->model->units[unit];
    const struct st_shape *shape = st_unit_shape(uses->model, unit);
    uint32_t end = token == ST_NO_TOKEN ? held_end(shape, lock) : shape->ends[token];
    if (end < shape->count)
        return st_unit_place(uses->model, unit, end);
    uint64_t from = token == ST_NO_TOKEN ? self->begin : self->spots[token].number;
    const struct st_lock_use *use = find_use(uses, self->thread, lock, true, from);
    return use ? st_unit_place(uses->model, use->unit, use->token)
               : st_lock_acquire(uses, unit, token, lock);
}
