/* The cells of a grid, done by a crew: a cell is a piece of work. */
#ifndef SERIATIM_SESSION_COMPARE_DEALT_GRID_H
#define SERIATIM_SESSION_COMPARE_DEALT_GRID_H

#include "cluster/crew.h"
#include "session/compare/grid.h"

/* The traces, which get a row each. */
struct st_grid_traces {
    const char *const *names; /* in the table */
    const char *const *paths;
    size_t count;
    struct st_trace_source source; /* how to read them, without a path */
    enum st_relation relation;
    bool (*stopped)(void *context); /* or NULL */
    void (*show)(void *context, size_t done, size_t all);
    void *context;
    size_t left; /* set: so many traces have no row, since somebody stopped it */
};

/* st_grid_add for all of them. */
int st_grid_deal(struct st_grid *grid, struct st_crew *crew, struct st_grid_traces *traces,
                 struct st_error *error);

/* Fills cells for rank 0 until the job ends, and the process with it. */
void st_grid_serve(const struct st_grid *grid, struct st_crew *crew,
                   const struct st_grid_traces *traces);

#endif
