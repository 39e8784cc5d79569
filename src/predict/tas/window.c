#include "predict/tas/window.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void tas_window_init(struct tas_window *window, const struct st_tas *tas) {
    size_t threads = (size_t)tas->thread_count + 1;
    *window = (struct tas_window){0};
    window->from = st_alloc(threads, sizeof *window->from);
    window->to = st_alloc(threads, sizeof *window->to);
    window->reach = st_alloc(threads, sizeof *window->reach);
    window->couples = st_alloc((size_t)tas->variable_count + 1, sizeof *window->couples);
    window->couple_stamps = st_alloc((size_t)tas->variable_count + 1, sizeof(uint32_t));
}

void tas_window_free(struct tas_window *window) {
    free(window->from);
    free(window->to);
    free(window->reach);
    free(window->couples);
    free(window->couple_stamps);
}

/* ---- which accesses paths can go through ---- */

/* Does a thread other than the event's and the block's have an access within `ranges` that
 * conflicts with the event? */
static bool meets(const struct st_tas *tas, const struct tas_segment *segment, uint32_t event,
                  const struct tas_reach *ranges, bool forward) {
    const struct st_event *e = &tas->events[event];
    for (int write = e->op == ST_READ; write <= 1; write++) {
        size_t key = 2 * (size_t)e->target + (size_t)write;
        for (uint32_t r = tas->key_runs[key]; r < tas->key_runs[key + 1]; r++) {
            const struct tas_run *run = &tas->runs[r];
            uint32_t t = run->thread;
            if (t == e->thread || t == segment->block->thread)
                continue;
            uint32_t low = forward ? ranges[t].first : segment->upper[t] + 1;
            uint32_t high = forward ? segment->lower[t] - 1 : ranges[t].last;
            size_t place = tas_run_from(tas, run, low);
            if (place < run[1].first && tas->position[tas->accesses[place]] <= high)
                return true;
        }
    }
    return false;
}

/* Does the block itself have an access that conflicts with the event? */
static bool meets_block(const struct st_tas *tas, const struct tas_segment *segment,
                        uint32_t event) {
    const struct st_event *e = &tas->events[event];
    uint32_t t = segment->block->thread;
    for (int write = e->op == ST_READ; write <= 1; write++) {
        size_t key = 2 * (size_t)e->target + (size_t)write;
        for (uint32_t r = tas->key_runs[key]; r < tas->key_runs[key + 1]; r++) {
            const struct tas_run *run = &tas->runs[r];
            if (run->thread != t)
                continue;
            size_t place = tas_run_from(tas, run, segment->upper[t] + 1);
            if (place < run[1].first && tas->position[tas->accesses[place]] < segment->lower[t])
                return true;
        }
    }
    return false;
}

static bool links(const struct st_tas *tas, const struct tas_segment *segment, uint32_t event,
                  const struct tas_reach *ranges, bool forward) {
    return meets_block(tas, segment, event) || meets(tas, segment, event, ranges, forward);
}

/* One round over a thread: moves its first reached access up, or its last one down. */
static bool widen(struct tas_window *window, const struct st_tas *tas,
                  const struct tas_segment *segment, uint32_t t, bool forward) {
    struct tas_reach *reach = &window->reach[t];
    const uint32_t *events = tas->threads[t].events;
    if (forward) {
        for (uint32_t p = segment->upper[t] + 1; p < reach->first; p++)
            if (tas_is_shared_access(tas, events[p - 1]) &&
                links(tas, segment, events[p - 1], window->reach, true)) {
                reach->first = p;
                return true;
            }
    } else {
        for (uint32_t p = segment->lower[t] - 1; p > reach->last; p--)
            if (tas_is_shared_access(tas, events[p - 1]) &&
                links(tas, segment, events[p - 1], window->reach, false)) {
                reach->last = p;
                return true;
            }
    }
    return false;
}

static bool find_reach(struct tas_window *window, const struct st_tas *tas,
                       const struct tas_segment *segment) {
    bool found = false;
    for (uint32_t t = 0; t < tas->thread_count; t++)
        window->reach[t] = (struct tas_reach){segment->lower[t], segment->upper[t]};
    for (int forward = 0; forward <= 1; forward++)
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t t = 0; t < tas->thread_count; t++)
                if (t != segment->block->thread)
                    changed |= widen(window, tas, segment, t, forward);
        }
    for (uint32_t t = 0; t < tas->thread_count; t++)
        found |= t != segment->block->thread && window->reach[t].first <= window->reach[t].last;
    return found;
}

/* ---- what is executed ---- */

void tas_window_add(struct tas_window *window, const struct st_tas *tas, uint32_t event,
                    bool free) {
    const uint32_t *needs = free ? tas_needs_free(tas, event) : tas_needs(tas, event);
    uint32_t own = tas->events[event].thread;
    for (uint32_t t = 0; t < tas->thread_count; t++)
        if (t != own && needs[t] > window->to[t])
            window->to[t] = needs[t];
    if (tas->position[event] > window->to[own])
        window->to[own] = tas->position[event];
}

/* The release of a lock that the thread holds behind its position `to`, or TAS_NONE. */
static uint32_t next_release(const struct tas_window *window, const struct st_tas *tas,
                             uint32_t thread, uint32_t lower) {
    uint32_t event = tas_event_at(tas, thread, window->to[thread]), found = TAS_NONE;
    uint32_t set = tas->lockset[event];
    for (uint32_t i = tas->lock_sets[set]; i < tas->lock_sets[set + 1]; i++) {
        uint32_t acquire = tas_holder(tas, tas->lock_members[i], event + 1);
        if (acquire == TAS_NONE || !tas->partner[acquire])
            continue;
        uint32_t release = tas->partner[acquire] - 1;
        if (tas->events[release].thread == thread && tas->position[release] < lower)
            found = release;
    }
    return found;
}

void tas_window_add_releases(struct tas_window *window, const struct st_tas *tas, uint32_t thread,
                             const uint32_t *lower) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t t = 0; t < tas->thread_count; t++) {
            if (t == thread || !window->to[t])
                continue;
            uint32_t release = next_release(window, tas, t, lower[t]);
            if (release != TAS_NONE) {
                tas_window_add(window, tas, release, false);
                changed = true;
            }
        }
    }
}

/* ---- what is replayed ---- */

uint32_t tas_window_holder(const struct tas_window *window, const struct st_tas *tas,
                           uint32_t lock) {
    uint32_t first = tas->lock_first[lock];
    uint32_t place = tas_acquires_before(tas, lock, window->limit);
    while (place > first) {
        uint32_t acquire = tas->acquires[--place], release = tas->partner[acquire];
        if (tas_is_frozen(window, tas, acquire))
            return release && tas_is_frozen(window, tas, release - 1) ? TAS_NONE : acquire;
    }
    return TAS_NONE;
}

/* The event and all behind it in its thread are not frozen. */
static void thaw(struct tas_window *window, const struct st_tas *tas, uint32_t event) {
    uint32_t *from = &window->from[tas->events[event].thread];
    if (tas->position[event] <= *from) {
        *from = tas->position[event] - 1;
        window->thawed = true;
    }
}

/* What must happen before a frozen event is frozen; read-modify-writes are not cut in two. */
static void thaw_dependent(struct tas_window *window, const struct st_tas *tas, uint32_t t) {
    while (window->from[t]) {
        uint32_t event = tas_event_at(tas, t, window->from[t]);
        const uint32_t *needs = tas_needs(tas, event);
        bool intact = !tas_is_update(tas, event);
        for (uint32_t u = 0; intact && u < tas->thread_count; u++)
            intact = u == t || needs[u] <= window->from[u];
        if (intact)
            return;
        thaw(window, tas, event);
    }
}

/* Does another thread acquire the lock later in the frozen part? */
static bool is_followed(const struct tas_window *window, const struct st_tas *tas,
                        uint32_t acquire) {
    uint32_t lock = tas->events[acquire].target;
    uint32_t place = tas_acquires_before(tas, lock, window->limit);
    for (; place > tas->lock_first[lock] && tas->acquires[place - 1] > acquire; place--)
        if (tas_is_frozen(window, tas, tas->acquires[place - 1]))
            return true;
    return false;
}

/* The locks that a thread holds behind its frozen events, all of which another thread acquires
 * later in the frozen part. */
static void thaw_sections(struct tas_window *window, const struct st_tas *tas, uint32_t t) {
    uint32_t event = tas_event_at(tas, t, window->from[t]), set = tas->lockset[event];
    for (uint32_t i = tas->lock_sets[set]; i < tas->lock_sets[set + 1]; i++) {
        uint32_t acquire = tas_holder(tas, tas->lock_members[i], event + 1);
        if (acquire != TAS_NONE && is_followed(window, tas, acquire))
            thaw(window, tas, acquire);
    }
}

/* A read of the window that comes before `limit`, as observed: a frozen write behind its couple
 * would be what it sees. */
static void thaw_later_writes(struct tas_window *window, const struct st_tas *tas, uint32_t read) {
    uint32_t couple = tas->partner[read]; /* index + 1, so that 0 comes before all writes */
    size_t key = 2 * (size_t)tas->events[read].target + 1;
    if (couple && !tas_is_frozen(window, tas, couple - 1))
        return;
    for (uint32_t r = tas->key_runs[key]; r < tas->key_runs[key + 1]; r++) {
        const struct tas_run *run = &tas->runs[r];
        size_t place = tas_run_from(tas, run, window->from[run->thread] + 1);
        while (place > run->first && tas->accesses[place - 1] + 1 > couple)
            thaw(window, tas, tas->accesses[--place]);
    }
}

static void look_at_read(struct tas_window *window, const struct st_tas *tas, uint32_t read) {
    uint32_t couple = tas->partner[read], x = tas->events[read].target;
    if (!tas->shared[x])
        return;
    if (read < window->limit)
        thaw_later_writes(window, tas, read);
    if (couple && tas_is_frozen(window, tas, couple - 1)) {
        window->couples[x] = couple - 1;
        window->couple_stamps[x] = window->stamp;
    }
}

/* A write or an acquire of the window: what it could come before must not be frozen. */
static void look_at_rival(struct tas_window *window, const struct st_tas *tas, uint32_t event) {
    const struct st_event *e = &tas->events[event];
    uint32_t source = TAS_NONE;
    if (e->op == ST_ACQUIRE)
        source = tas_window_holder(window, tas, e->target);
    else if (window->couple_stamps[e->target] == window->stamp)
        source = window->couples[e->target];
    if (source != TAS_NONE && tas->events[source].thread != e->thread &&
        !tas_must_precede(tas, source, event))
        thaw(window, tas, source);
}

static void look_at_window(struct tas_window *window, const struct st_tas *tas) {
    window->stamp++;
    for (uint32_t t = 0; t < tas->thread_count; t++)
        for (uint32_t p = window->from[t] + 1; p <= window->to[t]; p++)
            if (tas->events[tas_event_at(tas, t, p)].op == ST_READ)
                look_at_read(window, tas, tas_event_at(tas, t, p));
    for (uint32_t t = 0; t < tas->thread_count; t++)
        for (uint32_t p = window->from[t] + 1; p <= window->to[t]; p++) {
            uint32_t event = tas_event_at(tas, t, p), op = tas->events[event].op;
            if (op == ST_ACQUIRE || op == ST_WRITE)
                look_at_rival(window, tas, event);
        }
}

void tas_window_freeze(struct tas_window *window, const struct st_tas *tas, uint32_t limit) {
    bool whole = true; /* the first events of the trace, all of them, depend on nothing else */
    window->limit = limit;
    window->thawed = false;
    for (uint32_t t = 0; t < tas->thread_count; t++) {
        window->from[t] = tas_position_before(tas, t, limit);
        if (window->from[t] && tas_is_update(tas, tas_event_at(tas, t, window->from[t])))
            thaw(window, tas, tas_event_at(tas, t, window->from[t]));
    }
    do {
        whole &= !window->thawed;
        window->thawed = false;
        for (uint32_t t = 0; t < tas->thread_count && !whole; t++) {
            thaw_dependent(window, tas, t);
            if (window->from[t])
                thaw_sections(window, tas, t);
        }
        if (!window->thawed)
            look_at_window(window, tas);
    } while (window->thawed);
}

/* ---- windows of blocks ---- */

bool tas_window_find(struct tas_window *window, const struct st_tas *tas,
                     const struct tas_segment *segment) {
    uint32_t own = segment->block->thread;
    uint32_t first = segment->accesses[0], last = segment->accesses[segment->access_count - 1];
    uint32_t limit = first;
    if (!find_reach(window, tas, segment))
        return false;
    memset(window->to, 0, tas->thread_count * sizeof *window->to);
    tas_window_add(window, tas, last, false);
    for (uint32_t t = 0; t < tas->thread_count; t++) {
        struct tas_reach reach = window->reach[t];
        if (t == own || reach.first > reach.last)
            continue;
        uint32_t start = tas_event_at(tas, t, reach.first), end = tas_event_at(tas, t, reach.last);
        limit = start < limit ? start : limit;
        tas_window_add(window, tas, end, tas_needs(tas, end)[own] >= tas->position[last]);
        if (tas_is_update(tas, end))
            window->to[t]++;
    }
    tas_window_add_releases(window, tas, own, segment->lower);
    tas_window_freeze(window, tas, limit);
    return true;
}

void tas_window_whole(struct tas_window *window, const struct st_tas *tas,
                      const struct tas_segment *segment) {
    uint32_t own = segment->block->thread;
    for (uint32_t t = 0; t < tas->thread_count; t++)
        window->to[t] = tas->threads[t].count;
    window->to[own] = tas->position[segment->accesses[segment->access_count - 1]];
    window->limit = 0;
    memset(window->from, 0, tas->thread_count * sizeof *window->from);
}
