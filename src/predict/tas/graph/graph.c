#include "predict/tas/graph/graph.h"

#include "base/lower_bound.h"
#include "base/memory.h"

#include <stdlib.h>

struct st_tas_graph *st_tas_graph_of(const struct st_event *events, const uint64_t *numbers,
                                     const struct st_value_numbers *values, size_t count) {
    struct st_tas_graph *graph = st_alloc(1, sizeof *graph);
    graph->events = events;
    graph->numbers = numbers;
    graph->values = values;
    st_rows_init(&graph->rows);
    graph->overflow = count > UINT32_MAX - 1;
    graph->count = graph->overflow ? UINT32_MAX - 1 : count;
    tas_build_threads(graph);
    if (values)
        tas_build_contents(graph, values);
    tas_build_order(graph);
    tas_build_accesses(graph);
    return graph;
}

struct st_tas_graph *st_tas_graph_new(const struct st_event *events, size_t count) {
    return st_tas_graph_of(events, NULL, NULL, count);
}

void st_tas_graph_free(struct st_tas_graph *graph) {
    for (uint32_t t = 0; t < graph->strand_count; t++)
        free(graph->strands[t].events);
    st_rows_free(&graph->rows);
    free(graph->strands);
    free(graph->threads);
    free(graph->clocks);
    free(graph->position);
    free(graph->partner);
    free(graph->clock);
    free(graph->lockset);
    free(graph->content);
    free(graph->alike);
    free(graph->alike_initial);
    free(graph->open);
    free(graph->lock_sets);
    free(graph->lock_members);
    free(graph->acquires);
    free(graph->lock_first);
    free(graph->shared);
    free(graph->accesses);
    free(graph->runs);
    free(graph->key_runs);
    free(graph->strand_runs);
    free(graph->strand_first);
    free(graph->blocks);
    free(graph);
}

uint32_t tas_free_clock(const struct st_tas_graph *graph, uint32_t event) {
    if (graph->events[event].op != ST_READ)
        return graph->clock[event];
    const struct tas_thread *thread = tas_thread_of(graph, event);
    uint32_t position = graph->position[event];
    if (position == thread->before + 1)
        return thread->start;
    return graph->clock[tas_event_at(graph, thread->strand, position - 1)];
}

void tas_needs_list(const struct st_tas_graph *graph, const struct st_shared_row *needs,
                    uint32_t *positions) {
    memset(positions, 0, graph->strand_count * sizeof *positions);
    for (struct tas_walk walk = {.needs = needs}; tas_walk_next(&walk);)
        positions[walk.strand] = walk.position;
}

bool tas_must_precede(const struct st_tas_graph *graph, uint32_t a, uint32_t b) {
    uint32_t strand = tas_strand_of(graph, a);
    if (strand == tas_strand_of(graph, b))
        return graph->position[a] < graph->position[b];
    return st_row_get(tas_needs(graph, b), strand) >= graph->position[a];
}

bool tas_is_update(const struct st_tas_graph *graph, uint32_t read) {
    const struct tas_strand *strand = &graph->strands[tas_strand_of(graph, read)];
    if (graph->events[read].op != ST_READ || graph->position[read] == strand->count)
        return false;
    uint32_t next = strand->events[graph->position[read]];
    return graph->events[next].op == ST_WRITE && graph->partner[next] == read + 1;
}

bool tas_locks_meet(const struct st_tas_graph *graph, uint32_t set, uint32_t other) {
    const uint32_t *a = graph->lock_members + graph->lock_sets[set];
    const uint32_t *a_end = graph->lock_members + graph->lock_sets[set + 1];
    const uint32_t *b = graph->lock_members + graph->lock_sets[other];
    const uint32_t *b_end = graph->lock_members + graph->lock_sets[other + 1];
    while (a < a_end && b < b_end) {
        if (*a == *b)
            return true;
        if (*a < *b)
            a++;
        else
            b++;
    }
    return false;
}

uint32_t tas_acquires_before(const struct st_tas_graph *graph, uint32_t lock, uint32_t count) {
    uint32_t at;
    st_lower_bound(at, graph->lock_first[lock], graph->lock_first[lock + 1],
                   graph->acquires[at] < count);
    return at;
}

uint32_t tas_holder(const struct st_tas_graph *graph, uint32_t lock, uint32_t count) {
    uint32_t place = tas_acquires_before(graph, lock, count);
    if (place == graph->lock_first[lock])
        return TAS_NONE;
    uint32_t acquire = graph->acquires[place - 1], release = graph->partner[acquire];
    return release && release - 1 < count ? TAS_NONE : acquire;
}

uint32_t tas_position_let_in(const struct st_tas_graph *graph, uint32_t strand, uint32_t position,
                             uint32_t lock) {
    if (!position || position == UINT32_MAX)
        return position;
    uint32_t event = tas_event_at(graph, strand, position), set = graph->lockset[event];
    bool listed = false;
    for (uint32_t i = graph->lock_sets[set]; i < graph->lock_sets[set + 1]; i++)
        listed |= graph->lock_members[i] == lock;
    if (!listed)
        return position;
    uint32_t acquire = tas_holder(graph, lock, event + 1);
    if (acquire == TAS_NONE || tas_strand_of(graph, acquire) != strand)
        return position; /* the event has released it */
    uint32_t release = graph->partner[acquire];
    return release ? graph->position[release - 1] : UINT32_MAX;
}

uint32_t tas_position_let_in_all(const struct st_tas_graph *graph, uint32_t strand,
                                 uint32_t position, uint32_t event) {
    uint32_t set = graph->lockset[event], before;
    do { /* what releases one of the locks may hold another one by then */
        before = position;
        for (uint32_t i = graph->lock_sets[set]; i < graph->lock_sets[set + 1]; i++)
            position = tas_position_let_in(graph, strand, position, graph->lock_members[i]);
    } while (position != before);
    return position;
}

const struct tas_run *tas_run_of(const struct st_tas_graph *graph, uint32_t key, uint32_t strand) {
    uint32_t at, end = graph->key_runs[key + 1];
    st_lower_bound(at, graph->key_runs[key], end, graph->runs[at].strand < strand);
    return at < end && graph->runs[at].strand == strand ? &graph->runs[at] : NULL;
}

uint32_t tas_position_before(const struct st_tas_graph *graph, uint32_t strand, uint32_t count) {
    const struct tas_strand *t = &graph->strands[strand];
    uint32_t at;
    st_lower_bound(at, 0, t->count, t->events[at] < count);
    return at;
}

size_t tas_run_from_event(const struct st_tas_graph *graph, const struct tas_run *run,
                          uint32_t event) {
    size_t at;
    st_lower_bound(at, run[0].first, run[1].first, graph->accesses[at] < event);
    return at;
}

/* The events of a strand are in the order of the trace, so to look for one of them in the run
 * takes no look at positions. In a long run each step would wait for memory twice. */
size_t tas_run_from(const struct st_tas_graph *graph, const struct tas_run *run,
                    uint32_t position) {
    const struct tas_strand *strand = &graph->strands[run->strand];
    if (position > strand->count)
        return run[1].first;
    return position ? tas_run_from_event(graph, run, strand->events[position - 1]) : run[0].first;
}
