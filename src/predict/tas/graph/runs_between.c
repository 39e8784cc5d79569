#include "predict/tas/graph/runs_between.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void tas_runs_between_init(struct tas_runs_between *between, const struct st_tas_graph *graph) {
    *between = (struct tas_runs_between){.graph = graph};
    between->listed = st_alloc(graph->run_count + 1, sizeof *between->listed);
}

void tas_runs_between_free(struct tas_runs_between *between) {
    free(between->listed);
    free(between->list);
}

static void push(struct tas_runs_between *between, uint32_t run) {
    st_reserve(&between->list, &between->capacity, between->count + 1);
    between->list[between->count++] = run;
}

static int by_number(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* In the order in which the strand lists its runs, so that answers do not depend on the way. */
static void push_by_events(struct tas_runs_between *between, uint32_t strand, uint32_t low,
                           uint32_t high) {
    const struct st_tas_graph *graph = between->graph;
    size_t first = between->count;
    for (uint32_t p = low + 1; p < high; p++) {
        uint32_t event = tas_event_at(graph, strand, p);
        if (!tas_is_shared_access(graph, event))
            continue;
        const struct st_event *e = &graph->events[event];
        uint32_t run = (uint32_t)(tas_run_of(graph, 2 * e->target + (e->op == ST_WRITE), strand) -
                                  graph->runs);
        if (between->listed[run].stamp != between->stamp)
            push(between, run);
        between->listed[run].stamp = between->stamp;
    }
    if (between->count > first + 1)
        qsort(between->list + first, between->count - first, sizeof *between->list, by_number);
}

static void push_all(struct tas_runs_between *between, uint32_t strand) {
    const struct st_tas_graph *graph = between->graph;
    for (uint32_t i = graph->strand_first[strand]; i < graph->strand_first[strand + 1]; i++)
        push(between, graph->strand_runs[i]);
}

void tas_list_runs_between(struct tas_runs_between *between, uint32_t strand, uint32_t low,
                           uint32_t high) {
    const struct st_tas_graph *graph = between->graph;
    uint32_t runs = graph->strand_first[strand + 1] - graph->strand_first[strand];
    uint32_t events = high > low + 1 ? high - low - 1 : 0;
    size_t first = between->count;
    if (!++between->stamp) {
        memset(between->listed, 0, (graph->run_count + 1) * sizeof *between->listed);
        between->stamp = 1;
    }
    if (events < runs)
        push_by_events(between, strand, low, high);
    else
        push_all(between, strand);
    for (size_t i = first; i < between->count; i++)
        between->listed[between->list[i]] =
            (struct tas_listed){between->stamp, (uint32_t)(i - first)};
    between->work = 20 * (uint64_t)(events < runs ? events : runs);
}
