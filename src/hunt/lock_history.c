#include "hunt/lock_history.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_HELD = 6 }; /* locks of a thread at a time; more are not known */

struct held {
    uint64_t lock;
    uint32_t since; /* the point that acquired it */
    bool for_reading;
};

struct held_set {
    struct held list[MOST_HELD];
    uint32_t count;
};

/* Invariant: sets[of_point[i]] is what the thread held just before point i was passed. */
struct st_lock_history {
    struct held_set *sets;
    size_t count, capacity;
    uint32_t *of_point;
};

static uint32_t add_set(struct st_lock_history *history, const struct held_set *set) {
    st_reserve(&history->sets, &history->capacity, history->count + 1);
    history->sets[history->count] = *set;
    return (uint32_t)history->count++;
}

static void drop(struct held_set *set, uint64_t lock) {
    for (uint32_t i = set->count; i-- > 0;)
        if (set->list[i].lock == lock) {
            memmove(&set->list[i], &set->list[i + 1], (--set->count - i) * sizeof *set->list);
            return;
        }
}

/* True when what the thread holds is another set now. */
static bool apply(struct held_set *set, const struct st_control_point *point, uint32_t index) {
    switch ((enum st_control_kind)point->kind) {
    case ST_POINT_LOCK:
    case ST_POINT_READ_LOCK:
        if (set->count < MOST_HELD)
            set->list[set->count++] =
                (struct held){point->object, index, point->kind == ST_POINT_READ_LOCK};
        return true;
    case ST_POINT_UNLOCK:
        drop(set, point->object);
        return true;
    case ST_POINT_COND_WAIT: /* lets go of a lock, and which one is not in the log */
        set->count = 0;
        return true;
    default:
        return false;
    }
}

struct st_lock_history *st_lock_history_new(const struct st_control_log *log) {
    struct st_lock_history *history = st_alloc(1, sizeof *history);
    uint32_t *current = st_alloc((size_t)log->thread_count + 1, sizeof *current);
    history->of_point = st_alloc((size_t)log->point_count + 1, sizeof *history->of_point);
    add_set(history, &(struct held_set){.count = 0});
    for (uint32_t i = 0; i < log->point_count; i++) {
        const struct st_control_point *point = &log->log[i];
        struct held_set set = history->sets[current[point->thread]];
        history->of_point[i] = current[point->thread];
        if (apply(&set, point, i))
            current[point->thread] = add_set(history, &set);
    }
    free(current);
    return history;
}

void st_lock_history_free(struct st_lock_history *history) {
    free(history->sets);
    free(history->of_point);
    free(history);
}

static const struct held *find(const struct held_set *set, uint64_t lock) {
    for (uint32_t i = 0; i < set->count; i++)
        if (set->list[i].lock == lock)
            return &set->list[i];
    return NULL;
}

bool st_locks_are_released(const struct st_lock_history *history, uint32_t point, uint32_t later) {
    const struct held_set *then = &history->sets[history->of_point[point]];
    const struct held_set *now = &history->sets[history->of_point[later]];
    for (uint32_t i = 0; i < then->count; i++) {
        const struct held *still = find(now, then->list[i].lock);
        if (still && still->since == then->list[i].since)
            return false;
    }
    return true;
}

bool st_locks_exclude(const struct st_lock_history *history, uint32_t first, uint32_t later,
                      uint32_t other) {
    const struct held_set *start = &history->sets[history->of_point[first]];
    const struct held_set *end = &history->sets[history->of_point[later]];
    const struct held_set *theirs = &history->sets[history->of_point[other]];
    for (uint32_t i = 0; i < start->count; i++) {
        const struct held *ours = &start->list[i], *still = find(end, ours->lock);
        const struct held *their = find(theirs, ours->lock);
        if (still && still->since == ours->since && their &&
            !(ours->for_reading && their->for_reading))
            return true;
    }
    return false;
}
