#include "predict/tas/segment.h"

#include "base/lower_bound.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void tas_segment_init(struct tas_segment *segment, const struct st_tas_graph *graph) {
    *segment = (struct tas_segment){0};
    segment->upper = st_alloc((size_t)graph->thread_count + 1, sizeof *segment->upper);
    segment->lower = st_alloc((size_t)graph->thread_count + 1, sizeof *segment->lower);
    segment->others = st_alloc((size_t)graph->variable_count + 1, sizeof *segment->others);
    segment->stamps = st_alloc((size_t)graph->variable_count + 1, sizeof *segment->stamps);
}

void tas_segment_free(struct tas_segment *segment) {
    free(segment->accesses);
    free(segment->upper);
    free(segment->lower);
    free(segment->others);
    free(segment->stamps);
    free(segment->guards);
}

uint32_t tas_lower_frontier(const struct st_tas_graph *graph, uint32_t thread, uint32_t event) {
    const struct tas_thread *t = &graph->threads[thread];
    uint32_t other = graph->events[event].thread, limit = graph->position[event];
    if (st_row_get(tas_clock(graph, t->start), other) >= limit)
        return 1;
    uint32_t at; /* vectors grow along a thread */
    st_lower_bound(at, 0, t->count, st_row_get(tas_needs(graph, t->events[at]), other) < limit);
    /* A read that only its couple keeps after the event may be executed before it, as the last
     * event of its thread. */
    if (at < t->count && graph->events[t->events[at]].op == ST_READ)
        at++;
    return at + 1;
}

/* Finds the frontiers for the first and the last listed access. */
static void find_frontiers(struct tas_segment *segment, const struct st_tas_graph *graph) {
    uint32_t own = segment->block->thread;
    uint32_t first = segment->accesses[0], last = segment->accesses[segment->access_count - 1];
    tas_needs_list(graph, tas_needs(graph, first), segment->upper);
    for (uint32_t t = 0; t < graph->thread_count; t++)
        segment->lower[t] = t == own ? 0 : tas_lower_frontier(graph, t, last);
    segment->upper[own] = graph->position[first] - 1;
    segment->lower[own] = graph->position[last] + 1;
}

bool tas_segment_find(struct tas_segment *segment, const struct st_tas_graph *graph,
                      const struct tas_block *block) {
    const uint32_t *events = graph->threads[block->thread].events;
    segment->block = block;
    segment->access_count = 0;
    for (uint32_t p = block->first; p <= block->last; p++)
        if (tas_is_shared_access(graph, events[p - 1])) {
            st_reserve(&segment->accesses, &segment->access_capacity, segment->access_count + 1);
            segment->accesses[segment->access_count++] = events[p - 1];
        }
    if (segment->access_count < 2)
        return false;
    find_frontiers(segment, graph);
    return true;
}

uint64_t tas_segment_size(const struct tas_segment *segment, const struct st_tas_graph *graph) {
    uint64_t size = 0;
    for (uint32_t t = 0; t < graph->thread_count; t++)
        if (segment->lower[t] > segment->upper[t] + 1)
            size += segment->lower[t] - segment->upper[t] - 1;
    return size;
}

/* ---- the static check ---- */

/* Finds the locks that the block's thread holds from the first listed access to the last. */
static void find_guards(struct tas_segment *segment, const struct st_tas_graph *graph) {
    uint32_t first = segment->accesses[0], last = segment->accesses[segment->access_count - 1];
    uint32_t set = graph->lockset[first];
    segment->guard_count = 0;
    for (uint32_t i = graph->lock_sets[set]; i < graph->lock_sets[set + 1]; i++) {
        uint32_t acquire = tas_holder(graph, graph->lock_members[i], first + 1);
        if (acquire == TAS_NONE)
            continue;
        uint32_t release = graph->partner[acquire];
        if (release && graph->position[release - 1] < graph->position[last])
            continue;
        st_reserve(&segment->guards, &segment->guard_capacity, segment->guard_count + 1);
        segment->guards[segment->guard_count++] = graph->lock_members[i];
    }
}

static bool is_guarded(const struct tas_segment *segment, const struct st_tas_graph *graph,
                       uint32_t event) {
    uint32_t set = graph->lockset[event];
    for (uint32_t i = graph->lock_sets[set]; i < graph->lock_sets[set + 1]; i++)
        for (size_t g = 0; g < segment->guard_count; g++)
            if (graph->lock_members[i] == segment->guards[g])
                return true;
    return false;
}

/* Does the run have an access in the segment that no guard keeps out? Gives up early, and answers
 * yes, when an exact answer costs more than it saves. */
static bool run_has_access(const struct tas_segment *segment, const struct st_tas_graph *graph,
                           const struct tas_run *run) {
    enum { PATIENCE = 200 };
    size_t place = tas_run_from(graph, run, segment->upper[run->thread] + 1);
    for (size_t end = place + PATIENCE; place < run[1].first; place++) {
        uint32_t event = graph->accesses[place];
        if (graph->position[event] >= segment->lower[run->thread])
            return false;
        if (place == end || !is_guarded(segment, graph, event))
            return true;
    }
    return false;
}

static bool others_access(const struct tas_segment *segment, const struct st_tas_graph *graph,
                          uint32_t variable, bool write) {
    size_t key = 2 * (size_t)variable + write;
    for (uint32_t r = graph->key_runs[key]; r < graph->key_runs[key + 1]; r++)
        if (graph->runs[r].thread != segment->block->thread &&
            run_has_access(segment, graph, &graph->runs[r]))
            return true;
    return false;
}

static unsigned others_of(struct tas_segment *segment, const struct st_tas_graph *graph,
                          uint32_t variable) {
    if (segment->stamps[variable] != segment->stamp) {
        segment->stamps[variable] = segment->stamp;
        segment->others[variable] =
            (uint8_t)((others_access(segment, graph, variable, false) ? TAS_OTHERS_READ : 0) |
                      (others_access(segment, graph, variable, true) ? TAS_OTHERS_WRITE : 0));
    }
    return segment->others[variable];
}

/* Keeps the accesses that conflict with other accesses in the segment. */
static void keep_conflicts(struct tas_segment *segment, const struct st_tas_graph *graph) {
    size_t kept = 0;
    segment->stamp++;
    find_guards(segment, graph);
    for (size_t i = 0; i < segment->access_count; i++) {
        const struct st_event *e = &graph->events[segment->accesses[i]];
        unsigned others = others_of(segment, graph, e->target);
        if (e->op == ST_WRITE ? others : others & TAS_OTHERS_WRITE)
            segment->accesses[kept++] = segment->accesses[i];
    }
    segment->access_count = kept;
}

bool tas_segment_static_check(struct tas_segment *segment, const struct st_tas_graph *graph) {
    for (;;) {
        size_t count = segment->access_count;
        keep_conflicts(segment, graph);
        if (segment->access_count < 2)
            return true;
        if (segment->access_count == count)
            return false;
        find_frontiers(segment, graph);
    }
}
