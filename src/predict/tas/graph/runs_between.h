/* Which variables does a strand access between two of its positions, and how?
 *
 * A strand has a run (predict/tas/graph/graph.h) for each kind of access to each variable that it
 * uses. In a long trace these are very many, and a search for one block looks at a few events of
 * the strand. So it must not go through all of them: where there are fewer events than runs, it
 * goes through the events. */
#ifndef SERIATIM_PREDICT_TAS_GRAPH_RUNS_BETWEEN_H
#define SERIATIM_PREDICT_TAS_GRAPH_RUNS_BETWEEN_H

#include "predict/tas/graph/graph.h"

/* Where a run is in the last list, if that list has it. */
struct tas_listed {
    uint32_t stamp, place;
};

/* A stack of lists, as searches ask again while they go through a list. One for each worker. */
struct tas_runs_between {
    const struct st_tas_graph *graph;
    struct tas_listed *listed; /* by run */
    uint32_t stamp;            /* of the last list */
    uint32_t *list;            /* numbers of runs, ascending within each list */
    size_t count, capacity;
    uint64_t work; /* of the last list, in rough nanoseconds */
};

void tas_runs_between_init(struct tas_runs_between *between, const struct st_tas_graph *graph);
void tas_runs_between_free(struct tas_runs_between *between);

/* Pushes a list of all runs of the strand that have an access between the positions, both excluded.
 * It may also have other runs of the strand. The list starts at list[the count before] and ends at
 * list[count]; setting the count back pops it. */
void tas_list_runs_between(struct tas_runs_between *between, uint32_t strand, uint32_t low,
                           uint32_t high);

/* The place of a run in the last list, counted from its start. The run must be in it. */
static inline uint32_t tas_place_between(const struct tas_runs_between *between, size_t run) {
    return between->listed[run].place;
}

#endif
