#include "predict/tas/window.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void tas_window_init(struct tas_window *window, const struct st_tas_graph *graph) {
    size_t strands = (size_t)graph->strand_count + 1;
    *window = (struct tas_window){0};
    window->from = st_alloc(strands, sizeof *window->from);
    window->to = st_alloc(strands, sizeof *window->to);
    window->reach = st_alloc(strands, sizeof *window->reach);
    window->couples = st_alloc((size_t)graph->variable_count + 1, sizeof *window->couples);
    window->couple_stamps = st_alloc((size_t)graph->variable_count + 1, sizeof(uint32_t));
}

void tas_window_free(struct tas_window *window) {
    free(window->from);
    free(window->to);
    free(window->reach);
    free(window->couples);
    free(window->couple_stamps);
}

/* ---- which accesses paths can go through ---- */

/* Does a strand other than the event's and the block's have an access within `ranges` that
 * conflicts with the event? Conflicts within a strand do not widen its range. */
static bool meets(const struct st_tas_graph *graph, const struct tas_segment *segment,
                  uint32_t event, const struct tas_reach *ranges, bool forward) {
    const struct st_event *e = &graph->events[event];
    for (int write = e->op == ST_READ; write <= 1; write++) {
        size_t key = 2 * (size_t)e->target + (size_t)write;
        for (uint32_t r = graph->key_runs[key]; r < graph->key_runs[key + 1]; r++) {
            const struct tas_run *run = &graph->runs[r];
            uint32_t t = run->strand;
            if (t == tas_strand_of(graph, event) || t == segment->block->strand)
                continue;
            uint32_t low = forward ? ranges[t].first : segment->upper[t] + 1;
            uint32_t high = forward ? segment->lower[t] - 1 : ranges[t].last;
            size_t place = tas_run_from(graph, run, low);
            if (place < run[1].first && graph->position[graph->accesses[place]] <= high)
                return true;
        }
    }
    return false;
}

/* Does the block itself have an access that conflicts with the event? */
static bool meets_block(const struct st_tas_graph *graph, const struct tas_segment *segment,
                        uint32_t event) {
    const struct st_event *e = &graph->events[event];
    uint32_t t = segment->block->strand;
    for (int write = e->op == ST_READ; write <= 1; write++) {
        size_t key = 2 * (size_t)e->target + (size_t)write;
        for (uint32_t r = graph->key_runs[key]; r < graph->key_runs[key + 1]; r++) {
            const struct tas_run *run = &graph->runs[r];
            if (run->strand != t)
                continue;
            size_t place = tas_run_from(graph, run, segment->upper[t] + 1);
            if (place < run[1].first && graph->position[graph->accesses[place]] < segment->lower[t])
                return true;
        }
    }
    return false;
}

static bool links(const struct st_tas_graph *graph, const struct tas_segment *segment,
                  uint32_t event, const struct tas_reach *ranges, bool forward) {
    return meets_block(graph, segment, event) || meets(graph, segment, event, ranges, forward);
}

/* Makes one round over a strand: moves its first reached access up, or its last one down. */
static bool widen(struct tas_window *window, const struct st_tas_graph *graph,
                  const struct tas_segment *segment, uint32_t t, bool forward) {
    struct tas_reach *reach = &window->reach[t];
    const uint32_t *events = graph->strands[t].events;
    if (forward) {
        for (uint32_t p = segment->upper[t] + 1; p < reach->first; p++)
            if (tas_is_shared_access(graph, events[p - 1]) &&
                links(graph, segment, events[p - 1], window->reach, true)) {
                reach->first = p;
                return true;
            }
    } else {
        for (uint32_t p = segment->lower[t] - 1; p > reach->last; p--)
            if (tas_is_shared_access(graph, events[p - 1]) &&
                links(graph, segment, events[p - 1], window->reach, false)) {
                reach->last = p;
                return true;
            }
    }
    return false;
}

static bool find_reach(struct tas_window *window, const struct st_tas_graph *graph,
                       const struct tas_segment *segment) {
    bool found = false;
    for (uint32_t t = 0; t < graph->strand_count; t++)
        window->reach[t] = (struct tas_reach){segment->lower[t], segment->upper[t]};
    for (int forward = 0; forward <= 1; forward++)
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t t = 0; t < graph->strand_count; t++)
                if (t != segment->block->strand)
                    changed |= widen(window, graph, segment, t, forward);
        }
    for (uint32_t t = 0; t < graph->strand_count; t++)
        found |= t != segment->block->strand && window->reach[t].first <= window->reach[t].last;
    return found;
}

/* ---- what is executed ---- */

/* Adds the event, and what must happen before it, to `to`. With `free`, the event is a read that
 * may see anything. */
static void add_event(struct tas_window *window, const struct st_tas_graph *graph, uint32_t event,
                      bool free) {
    const struct st_shared_row *needs =
        free ? tas_needs_free(graph, event) : tas_needs(graph, event);
    uint32_t own = tas_strand_of(graph, event);
    for (struct tas_walk walk = {.needs = needs}; tas_walk_next(&walk);)
        if (walk.strand != own && walk.position > window->to[walk.strand])
            window->to[walk.strand] = walk.position;
    if (graph->position[event] > window->to[own])
        window->to[own] = graph->position[event];
}

/* The release of a lock that the strand holds after its position `to`, or TAS_NONE. */
static uint32_t next_release(const struct tas_window *window, const struct st_tas_graph *graph,
                             uint32_t strand, uint32_t lower) {
    uint32_t event = tas_event_at(graph, strand, window->to[strand]), found = TAS_NONE;
    uint32_t set = graph->lockset[event];
    for (uint32_t i = graph->lock_sets[set]; i < graph->lock_sets[set + 1]; i++) {
        uint32_t acquire = tas_holder(graph, graph->lock_members[i], event + 1);
        if (acquire == TAS_NONE || !graph->partner[acquire])
            continue;
        uint32_t release = graph->partner[acquire] - 1;
        if (tas_strand_of(graph, release) == strand && graph->position[release] < lower)
            found = release;
    }
    return found;
}

/* Adds releases to `to`, in strands other than `strand`, until no strand t holds a lock that it
 * could release before position lower[t]. */
static void add_releases(struct tas_window *window, const struct st_tas_graph *graph,
                         uint32_t strand, const uint32_t *lower) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t t = 0; t < graph->strand_count; t++) {
            if (t == strand || !window->to[t])
                continue;
            uint32_t release = next_release(window, graph, t, lower[t]);
            if (release != TAS_NONE) {
                add_event(window, graph, release, false);
                changed = true;
            }
        }
    }
}

/* ---- what is replayed ---- */

uint32_t tas_window_holder(const struct tas_window *window, const struct st_tas_graph *graph,
                           uint32_t lock) {
    uint32_t first = graph->lock_first[lock];
    uint32_t place = tas_acquires_before(graph, lock, window->limit);
    while (place > first) {
        uint32_t acquire = graph->acquires[--place], release = graph->partner[acquire];
        if (tas_is_frozen(window, graph, acquire))
            return release && tas_is_frozen(window, graph, release - 1) ? TAS_NONE : acquire;
    }
    return TAS_NONE;
}

uint32_t tas_window_last_write(const struct tas_window *window, const struct st_tas_graph *graph,
                               uint32_t variable) {
    size_t key = 2 * (size_t)variable + 1;
    uint32_t last = 0;
    for (uint32_t r = graph->key_runs[key]; r < graph->key_runs[key + 1]; r++) {
        const struct tas_run *run = &graph->runs[r];
        size_t place = tas_run_from(graph, run, window->from[run->strand] + 1);
        if (place > run->first && graph->accesses[place - 1] + 1 > last)
            last = graph->accesses[place - 1] + 1;
    }
    return last;
}

/* Unfreezes the event and all later events of its strand; with values, all later events. */
static void thaw(struct tas_window *window, const struct st_tas_graph *graph, uint32_t event) {
    if (graph->content && event < window->limit) {
        window->limit = event;
        window->thawed = true;
        return;
    }
    uint32_t *from = &window->from[tas_strand_of(graph, event)];
    if (graph->position[event] <= *from) {
        *from = graph->position[event] - 1;
        window->thawed = true;
    }
}

/* What must happen before a frozen event must be frozen, and a read-modify-write must not be
 * split. */
static void thaw_dependent(struct tas_window *window, const struct st_tas_graph *graph,
                           uint32_t t) {
    while (window->from[t]) {
        uint32_t event = tas_event_at(graph, t, window->from[t]);
        struct tas_walk walk = {.needs = tas_needs(graph, event)};
        bool intact = !tas_is_update(graph, event);
        while (intact && tas_walk_next(&walk))
            intact = walk.strand == t || walk.position <= window->from[walk.strand];
        if (intact)
            return;
        thaw(window, graph, event);
    }
}

/* Does another thread acquire the lock later in the frozen part? */
static bool is_followed(const struct tas_window *window, const struct st_tas_graph *graph,
                        uint32_t acquire) {
    uint32_t lock = graph->events[acquire].target;
    uint32_t place = tas_acquires_before(graph, lock, window->limit);
    for (; place > graph->lock_first[lock] && graph->acquires[place - 1] > acquire; place--)
        if (tas_is_frozen(window, graph, graph->acquires[place - 1]))
            return true;
    return false;
}

/* Looks at the locks that a thread holds after its frozen events and that another thread acquires
 * later in the frozen part. */
static void thaw_sections(struct tas_window *window, const struct st_tas_graph *graph, uint32_t t) {
    uint32_t event = tas_event_at(graph, t, window->from[t]), set = graph->lockset[event];
    for (uint32_t i = graph->lock_sets[set]; i < graph->lock_sets[set + 1]; i++) {
        uint32_t acquire = tas_holder(graph, graph->lock_members[i], event + 1);
        if (acquire != TAS_NONE && is_followed(window, graph, acquire))
            thaw(window, graph, acquire);
    }
}

/* For a read of the window that comes before `limit` in the trace: it would see a frozen write that
 * comes after its couple. */
static void thaw_later_writes(struct tas_window *window, const struct st_tas_graph *graph,
                              uint32_t read) {
    uint32_t couple = graph->partner[read]; /* index + 1, so that 0 precedes all writes */
    size_t key = 2 * (size_t)graph->events[read].target + 1;
    if (couple && !tas_is_frozen(window, graph, couple - 1))
        return;
    for (uint32_t r = graph->key_runs[key]; r < graph->key_runs[key + 1]; r++) {
        const struct tas_run *run = &graph->runs[r];
        size_t place = tas_run_from(graph, run, window->from[run->strand] + 1);
        while (place > run->first && graph->accesses[place - 1] + 1 > couple)
            thaw(window, graph, graph->accesses[--place]);
    }
}

static void look_at_read(struct tas_window *window, const struct st_tas_graph *graph,
                         uint32_t read) {
    uint32_t couple = graph->partner[read], x = graph->events[read].target;
    if (!graph->shared[x])
        return;
    if (read < window->limit)
        thaw_later_writes(window, graph, read);
    if (couple && tas_is_frozen(window, graph, couple - 1)) {
        window->couples[x] = couple - 1;
        window->couple_stamps[x] = window->stamp;
    }
}

/* For a write or an acquire of the window: whatever it could come before must not be frozen. */
static void look_at_rival(struct tas_window *window, const struct st_tas_graph *graph,
                          uint32_t event) {
    const struct st_event *e = &graph->events[event];
    uint32_t source = TAS_NONE;
    if (e->op == ST_ACQUIRE)
        source = tas_window_holder(window, graph, e->target);
    else if (window->couple_stamps[e->target] == window->stamp)
        source = window->couples[e->target];
    if (source != TAS_NONE && tas_strand_of(graph, source) != tas_strand_of(graph, event) &&
        !tas_must_precede(graph, source, event))
        thaw(window, graph, source);
}

static void look_at_window(struct tas_window *window, const struct st_tas_graph *graph) {
    window->stamp++;
    for (uint32_t t = 0; t < graph->strand_count; t++)
        for (uint32_t p = window->from[t] + 1; p <= window->to[t]; p++)
            if (graph->events[tas_event_at(graph, t, p)].op == ST_READ)
                look_at_read(window, graph, tas_event_at(graph, t, p));
    for (uint32_t t = 0; t < graph->strand_count; t++)
        for (uint32_t p = window->from[t] + 1; p <= window->to[t]; p++) {
            uint32_t event = tas_event_at(graph, t, p), op = graph->events[event].op;
            if (op == ST_ACQUIRE || op == ST_WRITE)
                look_at_rival(window, graph, event);
        }
}

/* ---- the same if the trace has values ---- */

/* Can the read of the window see this frozen write, and not the last one? */
static bool is_visible_before(const struct st_tas_graph *graph, uint32_t write, uint32_t last,
                              uint32_t read) {
    return !tas_must_precede(graph, write, last) || !tas_must_precede(graph, last, read);
}

static void look_at_value_read(struct tas_window *window, const struct st_tas_graph *graph,
                               uint32_t read) {
    uint32_t x = graph->events[read].target, content = graph->content[read];
    uint32_t last = tas_window_last_write(window, graph, x);
    if ((last ? graph->content[last - 1] : 0) == content) {
        window->couples[x] = read;
        window->couple_stamps[x] = window->stamp;
        return;
    }
    bool visible = last && !content && !tas_must_precede(graph, last - 1, read);
    for (uint32_t w = tas_first_alike(graph, read); w && w - 1 < window->limit && !visible;
         w = graph->alike[w - 1])
        visible = is_visible_before(graph, w - 1, last - 1, read);
    if (visible)
        thaw(window, graph, last - 1);
}

/* Reads of the window see what the frozen part left. Could the write come before that? */
static void look_at_value_rival(struct tas_window *window, const struct st_tas_graph *graph,
                                uint32_t write) {
    uint32_t x = graph->events[write].target;
    if (window->couple_stamps[x] != window->stamp ||
        graph->content[window->couples[x]] == graph->content[write])
        return;
    for (uint32_t w = tas_first_alike(graph, window->couples[x]); w && w - 1 < window->limit;
         w = graph->alike[w - 1])
        if (!tas_must_precede(graph, w - 1, write)) {
            thaw(window, graph, w - 1);
            return;
        }
}

static void look_at_values(struct tas_window *window, const struct st_tas_graph *graph) {
    window->stamp++;
    for (uint32_t t = 0; t < graph->strand_count; t++)
        for (uint32_t p = window->from[t] + 1; p <= window->to[t] && !window->thawed; p++) {
            uint32_t event = tas_event_at(graph, t, p);
            if (graph->events[event].op == ST_READ && graph->shared[graph->events[event].target])
                look_at_value_read(window, graph, event);
        }
    for (uint32_t t = 0; t < graph->strand_count; t++)
        for (uint32_t p = window->from[t] + 1; p <= window->to[t] && !window->thawed; p++) {
            uint32_t event = tas_event_at(graph, t, p), op = graph->events[event].op;
            if (op == ST_ACQUIRE)
                look_at_rival(window, graph, event);
            else if (op == ST_WRITE && graph->shared[graph->events[event].target])
                look_at_value_rival(window, graph, event);
        }
}

static void freeze_with_values(struct tas_window *window, const struct st_tas_graph *graph,
                               uint32_t limit) {
    window->limit = limit;
    do {
        window->thawed = false;
        for (uint32_t t = 0; t < graph->strand_count; t++) {
            window->from[t] = tas_position_before(graph, t, window->limit);
            if (window->from[t] && tas_is_update(graph, tas_event_at(graph, t, window->from[t])))
                thaw(window, graph, tas_event_at(graph, t, window->from[t]));
        }
        if (!window->thawed)
            look_at_values(window, graph);
    } while (window->thawed);
}

void tas_window_freeze(struct tas_window *window, const struct st_tas_graph *graph,
                       uint32_t limit) {
    if (graph->content) {
        freeze_with_values(window, graph, limit);
        return;
    }
    bool whole = true; /* the first events of the trace, all of them, depend on nothing else */
    window->limit = limit;
    window->thawed = false;
    for (uint32_t t = 0; t < graph->strand_count; t++) {
        window->from[t] = tas_position_before(graph, t, limit);
        if (window->from[t] && tas_is_update(graph, tas_event_at(graph, t, window->from[t])))
            thaw(window, graph, tas_event_at(graph, t, window->from[t]));
    }
    do {
        whole &= !window->thawed;
        window->thawed = false;
        for (uint32_t t = 0; t < graph->strand_count && !whole; t++) {
            thaw_dependent(window, graph, t);
            if (window->from[t])
                thaw_sections(window, graph, t);
        }
        if (!window->thawed)
            look_at_window(window, graph);
    } while (window->thawed);
}

/* ---- windows of blocks ---- */

/* Adds the writes that reads of the window could see instead of those that they saw. False if there
 * is none to add. */
static bool add_choices(struct tas_window *window, const struct st_tas_graph *graph,
                        const uint32_t *lower) {
    bool added = false;
    for (uint32_t t = 0; t < graph->strand_count; t++)
        for (uint32_t p = window->from[t] + 1; p <= window->to[t]; p++) {
            uint32_t read = tas_event_at(graph, t, p);
            if (!tas_is_open(graph, read))
                continue;
            for (uint32_t w = tas_first_alike(graph, read); w; w = graph->alike[w - 1]) {
                uint32_t other = tas_strand_of(graph, w - 1), position = graph->position[w - 1];
                if (position <= window->to[other] || position >= lower[other] ||
                    tas_must_precede(graph, read, w - 1))
                    continue;
                add_event(window, graph, w - 1, false);
                added = true;
            }
        }
    return added;
}

bool tas_window_find(struct tas_window *window, const struct st_tas_graph *graph,
                     const struct tas_segment *segment) {
    uint32_t own = segment->block->strand;
    uint32_t first = segment->accesses[0], last = segment->accesses[segment->access_count - 1];
    uint32_t limit = first;
    if (!find_reach(window, graph, segment))
        return false;
    memset(window->to, 0, graph->strand_count * sizeof *window->to);
    add_event(window, graph, last, false);
    for (uint32_t t = 0; t < graph->strand_count; t++) {
        struct tas_reach reach = window->reach[t];
        if (t == own || reach.first > reach.last)
            continue;
        uint32_t start = tas_event_at(graph, t, reach.first),
                 end = tas_event_at(graph, t, reach.last);
        limit = start < limit ? start : limit;
        add_event(window, graph, end,
                  st_row_get(tas_needs(graph, end), own) >= graph->position[last]);
        if (tas_is_update(graph, end))
            window->to[t]++;
    }
    do {
        add_releases(window, graph, own, segment->frontier);
        tas_window_freeze(window, graph, limit);
    } while (graph->content && add_choices(window, graph, segment->frontier));
    return true;
}

void tas_window_whole(struct tas_window *window, const struct st_tas_graph *graph,
                      const struct tas_segment *segment) {
    uint32_t own = segment->block->strand;
    for (uint32_t t = 0; t < graph->strand_count; t++)
        window->to[t] = graph->strands[t].count;
    window->to[own] = graph->position[segment->accesses[segment->access_count - 1]];
    window->limit = 0;
    memset(window->from, 0, graph->strand_count * sizeof *window->from);
}
