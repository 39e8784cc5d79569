#include "check/races/race_edges.h"

#include "base/memory.h"
#include "check/races/races.h"

#include <stdlib.h>

struct conflict {
    struct st_edge *edge;
    struct st_race_moment moment; /* of its first event */
    bool atomic;                  /* the first event is */
};

/* An end of a conflict: something to do when the event with this number comes. */
struct end {
    uint64_t number;
    bool arrives;
    size_t conflict;
};

/* Invariant: once events come, ends are in the order of their events, and those below `next` are
 * done. */
struct st_race_edges {
    struct st_races *races;
    struct conflict *conflicts;
    struct end *ends;
    size_t conflict_count, conflict_capacity, end_count, end_capacity, next;
    bool sorted;
};

struct st_race_edges *st_race_edges_new(void) {
    struct st_race_edges *edges = st_alloc(1, sizeof *edges);
    edges->races = st_races_new(NULL, NULL);
    return edges;
}

void st_race_edges_free(struct st_race_edges *edges) {
    if (!edges)
        return;
    st_races_free(edges->races);
    free(edges->conflicts);
    free(edges->ends);
    free(edges);
}

static void add_end(struct st_race_edges *edges, uint64_t number, bool arrives) {
    st_reserve(&edges->ends, &edges->end_capacity, edges->end_count + 1);
    edges->ends[edges->end_count++] = (struct end){number, arrives, edges->conflict_count};
}

static void add_edge(struct st_race_edges *edges, struct st_edge *edge) {
    if (edge->kind != ST_EDGE_CONFLICT || !edge->from.number || !edge->to.number)
        return;
    add_end(edges, edge->from.number, false);
    add_end(edges, edge->to.number, true);
    st_reserve(&edges->conflicts, &edges->conflict_capacity, edges->conflict_count + 1);
    edges->conflicts[edges->conflict_count++] = (struct conflict){.edge = edge};
}

void st_race_edges_add(struct st_race_edges *edges, struct st_findings *findings) {
    for (size_t i = 0; i < findings->kept; i++) {
        struct st_violation *violation = &findings->violations[i];
        for (size_t k = 0; k < violation->path_length; k++)
            add_edge(edges, &violation->path[k]);
        add_edge(edges, &violation->closing);
    }
    for (size_t k = 0; k < findings->cycle_length; k++)
        add_edge(edges, &findings->cycle[k]);
}

/* Of one event, where conflicts start before where they arrive. */
static int by_event(const void *left, const void *right) {
    const struct end *a = left, *b = right;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->arrives - b->arrives;
}

bool st_race_edges_waits(const struct st_race_edges *edges) {
    return edges->next < edges->end_count && !st_races_gave_up(edges->races);
}

const char *st_race_edges_gave_up(const struct st_race_edges *edges) {
    return st_races_gave_up(edges->races);
}

static void leave(struct st_race_edges *edges, size_t conflict, const struct st_event *event) {
    edges->conflicts[conflict].moment = st_races_now(edges->races, event->thread);
    edges->conflicts[conflict].atomic = event->atomic;
}

static void arrive(struct st_race_edges *edges, size_t index, const struct st_event *event) {
    const struct conflict *conflict = &edges->conflicts[index];
    bool ordered = (conflict->atomic && event->atomic) ||
                   st_races_knows(edges->races, event->thread, conflict->moment);
    if (!st_races_gave_up(edges->races))
        conflict->edge->race = ordered ? ST_RACE_NONE : ST_RACE_FOUND;
}

/* An access has the local time that its thread has before it, and the clock that its thread has
 * after it. */
static void feed_event(struct st_race_edges *edges, const struct st_event *event, uint64_t number) {
    const struct end *end = &edges->ends[edges->next];
    const struct end *last = edges->ends + edges->end_count;
    for (; end < last && end->number == number && !end->arrives; end++)
        leave(edges, end->conflict, event);
    st_races_feed(edges->races, event, 1, number);
    for (; end < last && end->number == number; end++)
        arrive(edges, end->conflict, event);
    edges->next = (size_t)(end - edges->ends);
}

void st_race_edges_feed(struct st_race_edges *edges, const struct st_event *events, size_t count,
                        uint64_t first) {
    size_t fed = 0;
    if (!edges->sorted && edges->end_count)
        qsort(edges->ends, edges->end_count, sizeof *edges->ends, by_event);
    edges->sorted = true;
    while (edges->next < edges->end_count && edges->ends[edges->next].number < first + count) {
        size_t at = (size_t)(edges->ends[edges->next].number - first);
        st_races_feed(edges->races, events + fed, at - fed, first + fed);
        feed_event(edges, &events[at], first + at);
        fed = at + 1;
    }
    st_races_feed(edges->races, events + fed, count - fed, first + fed);
}

void st_race_edges_forget(struct st_race_edges *edges, const struct st_variable_run *ended,
                          size_t count) {
    for (size_t i = 0; i < count; i++)
        for (uint32_t n = 0; n < ended[i].count; n++)
            st_races_forget(edges->races, ended[i].first + n);
}
