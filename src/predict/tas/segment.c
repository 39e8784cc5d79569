#include "predict/tas/segment.h"

#include "base/lower_bound.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void tas_segment_init(struct tas_segment *segment, const struct st_tas_graph *graph) {
    *segment = (struct tas_segment){0};
    segment->upper = st_alloc((size_t)graph->strand_count + 1, sizeof *segment->upper);
    segment->lower = st_alloc((size_t)graph->strand_count + 1, sizeof *segment->lower);
    segment->frontier = st_alloc((size_t)graph->strand_count + 1, sizeof *segment->frontier);
    segment->known = st_alloc((size_t)graph->strand_count + 1, sizeof *segment->known);
    segment->others = st_alloc((size_t)graph->variable_count + 1, sizeof *segment->others);
    segment->stamps = st_alloc((size_t)graph->variable_count + 1, sizeof *segment->stamps);
}

/* What paths may do at the accesses to a variable; kinds are 0 for reads and 1 for writes. */
struct at_variable {
    uint32_t stamp;          /* the rest is valid in this round */
    uint32_t first[2];       /* by kind: position of the block's first access */
    uint32_t last[2];        /* and of its last one */
    uint32_t from[2], to[2]; /* by kind: of others, the least `from` and the greatest `to` */
};

/* NOWHERE is later than all positions; no position is 0. */
#define NOWHERE UINT32_MAX

struct tas_paths {
    struct at_variable *variables;
    uint32_t stamp;
    uint32_t *from, *to;     /* by event: the position of the block's first access from which a path
                              * may come, and of the last one to which it may go */
    uint32_t *upper, *lower; /* by strand: where paths may be */
};

static struct tas_paths *new_paths(const struct st_tas_graph *graph) {
    struct tas_paths *paths = st_alloc(1, sizeof *paths);
    paths->variables = st_alloc((size_t)graph->variable_count + 1, sizeof *paths->variables);
    paths->from = st_alloc((size_t)graph->count + 1, sizeof *paths->from);
    paths->to = st_alloc((size_t)graph->count + 1, sizeof *paths->to);
    paths->upper = st_alloc((size_t)graph->strand_count + 1, sizeof *paths->upper);
    paths->lower = st_alloc((size_t)graph->strand_count + 1, sizeof *paths->lower);
    return paths;
}

static void free_paths(struct tas_paths *paths) {
    if (!paths)
        return;
    free(paths->variables);
    free(paths->from);
    free(paths->to);
    free(paths->upper);
    free(paths->lower);
    free(paths);
}

void tas_segment_free(struct tas_segment *segment) {
    free(segment->accesses);
    free(segment->upper);
    free(segment->lower);
    free(segment->others);
    free(segment->stamps);
    free(segment->guards);
    free(segment->frontier);
    free(segment->known);
    free_paths(segment->paths);
}

uint32_t tas_lower_frontier(const struct st_tas_graph *graph, uint32_t strand, uint32_t event) {
    const struct tas_strand *t = &graph->strands[strand];
    uint32_t other = tas_strand_of(graph, event), limit = graph->position[event];
    uint32_t at; /* vectors grow along a strand */
    st_lower_bound(at, 0, t->count, st_row_get(tas_needs(graph, t->events[at]), other) < limit);
    /* A read that only its couple keeps after the event may be executed before it, as the last
     * event of its thread. */
    if (at < t->count && graph->events[t->events[at]].op == ST_READ &&
        st_row_get(tas_needs_free(graph, t->events[at]), other) < limit)
        at++;
    return at + 1;
}

/* Makes the frontiers of a strand known. */
static void look_at(struct tas_segment *segment, const struct st_tas_graph *graph, uint32_t t) {
    if (segment->known[t] == segment->known_stamp)
        return;
    uint32_t first = segment->accesses[0], last = segment->accesses[segment->access_count - 1];
    segment->known[t] = segment->known_stamp;
    segment->upper[t] = st_row_get(tas_needs(graph, first), t);
    segment->lower[t] = segment->frontier[t] = tas_lower_frontier(graph, t, last);
}

void tas_segment_complete(struct tas_segment *segment, const struct st_tas_graph *graph) {
    for (uint32_t t = 0; t < graph->strand_count; t++)
        look_at(segment, graph, t);
}

/* The frontiers are now those of the first and the last listed access. */
static void find_frontiers(struct tas_segment *segment, const struct st_tas_graph *graph) {
    uint32_t own = segment->block->strand;
    uint32_t first = segment->accesses[0], last = segment->accesses[segment->access_count - 1];
    segment->known[own] = ++segment->known_stamp;
    segment->upper[own] = graph->position[first] - 1;
    segment->lower[own] = segment->frontier[own] = graph->position[last] + 1;
}

bool tas_segment_find(struct tas_segment *segment, const struct st_tas_graph *graph,
                      const struct tas_block *block) {
    const uint32_t *events = graph->strands[block->strand].events;
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

uint64_t tas_segment_size(struct tas_segment *segment, const struct st_tas_graph *graph) {
    uint64_t size = 0;
    tas_segment_complete(segment, graph);
    for (uint32_t t = 0; t < graph->strand_count; t++)
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

/* Does the run have an access between two positions, both excluded, that no guard keeps out? Gives
 * up early, and answers yes, when an exact answer costs more than it saves. */
static bool run_has_access(const struct tas_segment *segment, const struct st_tas_graph *graph,
                           const struct tas_run *run, uint32_t above, uint32_t below) {
    enum { PATIENCE = 200 };
    size_t place = tas_run_from(graph, run, above + 1);
    for (size_t end = place + PATIENCE; place < run[1].first; place++) {
        uint32_t event = graph->accesses[place];
        if (graph->position[event] >= below)
            return false;
        if (place == end || !is_guarded(segment, graph, event))
            return true;
    }
    return false;
}

static bool others_access(struct tas_segment *segment, const struct st_tas_graph *graph,
                          uint32_t variable, bool write) {
    size_t key = 2 * (size_t)variable + write;
    for (uint32_t r = graph->key_runs[key]; r < graph->key_runs[key + 1]; r++) {
        const struct tas_run *run = &graph->runs[r];
        if (run->strand == segment->block->strand)
            continue;
        look_at(segment, graph, run->strand);
        if (run_has_access(segment, graph, run, segment->upper[run->strand],
                           segment->lower[run->strand]))
            return true;
    }
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

static bool has_conflict(struct tas_segment *segment, const struct st_tas_graph *graph,
                         uint32_t access) {
    const struct st_event *e = &graph->events[access];
    unsigned others = others_of(segment, graph, e->target);
    return e->op == ST_WRITE ? others : others & TAS_OTHERS_WRITE;
}

/* Keeps the accesses that conflict with other accesses in the segment. */
static void keep_conflicts(struct tas_segment *segment, const struct st_tas_graph *graph) {
    size_t kept = 0;
    segment->stamp++;
    find_guards(segment, graph);
    for (size_t i = 0; i < segment->access_count; i++)
        if (has_conflict(segment, graph, segment->accesses[i]))
            segment->accesses[kept++] = segment->accesses[i];
    segment->access_count = kept;
}

/* ---- shrinking by paths ---- */

static struct at_variable *at_variable(struct tas_paths *paths, uint32_t variable) {
    struct at_variable *at = &paths->variables[variable];
    if (at->stamp != paths->stamp)
        *at = (struct at_variable){
            .stamp = paths->stamp, .first = {NOWHERE, NOWHERE}, .from = {NOWHERE, NOWHERE}};
    return at;
}

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static uint32_t greatest(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* A write conflicts with both kinds, a read with writes. */
static int first_kind(const struct st_event *event) {
    return event->op == ST_WRITE ? 0 : 1;
}

static void start_round(struct tas_segment *segment, const struct st_tas_graph *graph) {
    struct tas_paths *paths = segment->paths;
    paths->stamp++;
    find_guards(segment, graph);
    for (size_t i = 0; i < segment->access_count; i++) {
        const struct st_event *e = &graph->events[segment->accesses[i]];
        struct at_variable *at = at_variable(paths, e->target);
        uint32_t position = graph->position[segment->accesses[i]];
        int kind = e->op == ST_WRITE;
        at->first[kind] = least(at->first[kind], position);
        at->last[kind] = greatest(at->last[kind], position);
    }
    for (uint32_t t = 0; t < graph->strand_count; t++)
        for (uint32_t p = segment->upper[t] + 1; p < segment->lower[t]; p++) {
            paths->from[tas_event_at(graph, t, p)] = NOWHERE;
            paths->to[tas_event_at(graph, t, p)] = 0;
        }
}

/* Where a path may come from that arrives at the event by a conflict. */
static uint32_t comes_from(const struct tas_segment *segment, const struct st_tas_graph *graph,
                           uint32_t event) {
    const struct st_event *e = &graph->events[event];
    const struct at_variable *at = at_variable(segment->paths, e->target);
    uint32_t from = NOWHERE;
    for (int kind = first_kind(e); kind <= 1; kind++) {
        from = least(from, at->from[kind]);
        if (at->first[kind] == NOWHERE)
            continue;
        /* What must happen before the first one must happen before the others. */
        uint32_t access = tas_event_at(graph, segment->block->strand, at->first[kind]);
        if (st_row_get(tas_needs(graph, access), tas_strand_of(graph, event)) <
            graph->position[event])
            from = least(from, at->first[kind]);
    }
    return from;
}

/* Where a path may go that leaves the event by a conflict. */
static uint32_t goes_to(const struct tas_segment *segment, const struct st_tas_graph *graph,
                        uint32_t event) {
    const struct st_event *e = &graph->events[event];
    const struct at_variable *at = at_variable(segment->paths, e->target);
    const struct st_shared_row *needs =
        e->op == ST_READ ? tas_needs_free(graph, event) : tas_needs(graph, event);
    uint32_t needed = st_row_get(needs, segment->block->strand), to = 0;
    for (int kind = first_kind(e); kind <= 1; kind++) {
        to = greatest(to, at->to[kind]);
        if (at->last[kind] > needed)
            to = greatest(to, at->last[kind]);
    }
    return to;
}

/* Follows paths along a thread, forwards. A path does not go on behind a guarded event, which is
 * not executed while the block is between its accesses. */
static bool follow_from(struct tas_segment *segment, const struct st_tas_graph *graph, uint32_t t) {
    struct tas_paths *paths = segment->paths;
    uint32_t carried = NOWHERE;
    bool changed = false;
    for (uint32_t p = segment->upper[t] + 1; p < segment->lower[t]; p++) {
        uint32_t event = tas_event_at(graph, t, p);
        if (is_guarded(segment, graph, event)) {
            carried = NOWHERE;
        } else if (tas_is_shared_access(graph, event)) {
            carried = least(carried, comes_from(segment, graph, event));
            const struct st_event *e = &graph->events[event];
            uint32_t *from = &at_variable(paths, e->target)->from[e->op == ST_WRITE];
            changed |= carried < *from;
            *from = least(*from, carried);
            paths->from[event] = carried;
        }
    }
    return changed;
}

/* The same backwards. */
static bool follow_to(struct tas_segment *segment, const struct st_tas_graph *graph, uint32_t t) {
    struct tas_paths *paths = segment->paths;
    uint32_t carried = 0;
    bool changed = false;
    for (uint32_t p = segment->lower[t] - 1; p > segment->upper[t]; p--) {
        uint32_t event = tas_event_at(graph, t, p);
        if (is_guarded(segment, graph, event)) {
            carried = 0;
        } else if (tas_is_shared_access(graph, event)) {
            carried = greatest(carried, goes_to(segment, graph, event));
            const struct st_event *e = &graph->events[event];
            uint32_t *to = &at_variable(paths, e->target)->to[e->op == ST_WRITE];
            changed |= carried > *to;
            *to = greatest(*to, carried);
            paths->to[event] = carried;
        }
    }
    return changed;
}

static void follow_all(struct tas_segment *segment, const struct st_tas_graph *graph) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t t = 0; t < graph->strand_count; t++)
            if (t != segment->block->strand) {
                changed |= follow_from(segment, graph, t);
                changed |= follow_to(segment, graph, t);
            }
    }
}

/* Leaves out of a thread what is before its first access that may be on a path and behind its last
 * one. Counts such accesses, and what paths may do at their variables. */
static uint64_t tighten(struct tas_segment *segment, const struct st_tas_graph *graph, uint32_t t) {
    struct tas_paths *paths = segment->paths;
    uint32_t first = 0, last = 0;
    uint64_t count = 0;
    for (uint32_t p = segment->upper[t] + 1; p < segment->lower[t]; p++) {
        uint32_t event = tas_event_at(graph, t, p);
        if (paths->from[event] >= paths->to[event])
            continue;
        const struct st_event *e = &graph->events[event];
        struct at_variable *at = at_variable(paths, e->target);
        at->from[e->op == ST_WRITE] = least(at->from[e->op == ST_WRITE], paths->from[event]);
        at->to[e->op == ST_WRITE] = greatest(at->to[e->op == ST_WRITE], paths->to[event]);
        first = first ? first : p;
        last = p;
        count++;
    }
    paths->upper[t] = first ? first - 1 : segment->upper[t];
    paths->lower[t] = first ? last + 1 : segment->upper[t] + 1;
    return count;
}

/* Keeps the accesses of the block at which a path may leave or return. */
static void keep_on_paths(struct tas_segment *segment, const struct st_tas_graph *graph) {
    size_t kept = 0;
    for (size_t i = 0; i < segment->access_count; i++) {
        uint32_t access = segment->accesses[i], position = graph->position[access];
        const struct st_event *e = &graph->events[access];
        const struct at_variable *at = at_variable(segment->paths, e->target);
        bool on_path = false;
        for (int kind = first_kind(e); kind <= 1; kind++)
            on_path |= position < at->to[kind] || position > at->from[kind];
        if (on_path)
            segment->accesses[kept++] = access;
    }
    segment->access_count = kept;
}

/* A round; returns how many accesses of others may be on paths. */
static uint64_t keep_paths(struct tas_segment *segment, const struct st_tas_graph *graph) {
    uint64_t count = 0;
    if (!segment->paths)
        segment->paths = new_paths(graph);
    start_round(segment, graph);
    follow_all(segment, graph);
    segment->paths->stamp++; /* from here on, only what may be on a path counts */
    for (uint32_t t = 0; t < graph->strand_count; t++)
        if (t != segment->block->strand)
            count += tighten(segment, graph, t);
    keep_on_paths(segment, graph);
    return count;
}

/* Nothing outside of where paths may be comes back with the new frontiers. */
static void keep_tight(struct tas_segment *segment, const struct st_tas_graph *graph) {
    for (uint32_t t = 0; t < graph->strand_count; t++)
        if (t != segment->block->strand) {
            segment->upper[t] = greatest(segment->upper[t], segment->paths->upper[t]);
            segment->lower[t] = least(segment->lower[t], segment->paths->lower[t]);
        }
}

static bool shrink_by_paths(struct tas_segment *segment, const struct st_tas_graph *graph) {
    tas_segment_complete(segment, graph);
    for (uint64_t before = UINT64_MAX;;) {
        size_t count = segment->access_count;
        uint64_t others = keep_paths(segment, graph);
        if (segment->access_count < 2)
            return true;
        find_frontiers(segment, graph);
        tas_segment_complete(segment, graph);
        keep_tight(segment, graph);
        if (segment->access_count == count && others == before)
            return false;
        before = others;
    }
}

/* ---- the check ---- */

/* As the paper has it: nothing is dropped, and locks do not count. */
static bool has_two_conflicts(struct tas_segment *segment, const struct st_tas_graph *graph) {
    size_t found = 0;
    segment->stamp++;
    segment->guard_count = 0;
    for (size_t i = 0; i < segment->access_count && found < 2; i++)
        found += has_conflict(segment, graph, segment->accesses[i]);
    return found == 2;
}

static bool shrink_by_conflicts(struct tas_segment *segment, const struct st_tas_graph *graph) {
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

bool tas_segment_static_check(struct tas_segment *segment, const struct st_tas_graph *graph,
                              enum st_tas_shrinking shrinking) {
    if (shrinking == ST_TAS_SHRINK_NO)
        return !has_two_conflicts(segment, graph);
    return shrink_by_conflicts(segment, graph) ||
           (shrinking == ST_TAS_SHRINK_PATHS && shrink_by_paths(segment, graph));
}
