/* Traces × engines: what each engine says of each trace, and what it costs. Each cell reads the
 * trace by itself, so that one that takes too long can be given up.
 *
 *     st_grid_init(&grid, engines, count, timeout);
 *     ... for each trace ... st_grid_add(&grid, name, &source, relation, &error)
 *     ... grid.rows[i].cells[j] ...
 *     st_grid_free(&grid);
 */
#ifndef SERIATIM_SESSION_COMPARE_GRID_H
#define SERIATIM_SESSION_COMPARE_GRID_H

#include "check/engine.h"
#include "report/report.h"
#include "session/trace_input.h"

struct st_grid_cell {
    const struct st_engine *engine;
    bool timed_out; /* what follows is then what was known so far */
    const char *gave_up;
    enum st_verdict verdict;
    uint64_t first_bad_event; /* 0: none */
    bool names_blocks;        /* if not, there are no violations to count */
    uint64_t dynamic;         /* violated outermost blocks */
    uint64_t distinct;        /* names of such blocks */
    bool measured;            /* RegionTrack has finished, and this engine has, too */
    uint64_t missed, wrong;   /* names that only RegionTrack, and only this engine reports */
    double seconds;           /* of processor time in the engine */
    size_t peak_bytes;        /* of its state */
    struct st_counters counters;
    bool *violated; /* by block name + 1: is an outermost one violated? */
    size_t violated_count;
};

struct st_grid_row {
    char *name;
    struct st_facts facts;
    struct st_counts counts;
    uint64_t transactions, unary; /* outermost blocks that count, and events outside of them */
    enum st_relation relation;
    bool truncated;
    struct st_grid_cell *cells; /* as many as engines, in their order */
};

struct st_grid {
    const struct st_engine *const *engines;
    size_t engine_count;
    double timeout; /* of a cell, in seconds; 0: none */
    struct st_grid_row *rows;
    size_t row_count, row_capacity;
    char **texts; /* of cells that others have filled, each once */
    size_t text_count, text_capacity;
};

/* The list of engines must outlive the grid. */
void st_grid_init(struct st_grid *grid, const struct st_engine *const *engines, size_t count,
                  double timeout);
void st_grid_free(struct st_grid *grid);

/* A row for a trace, with empty cells. It stays where it is until there is another one. */
struct st_grid_row *st_grid_new_row(struct st_grid *grid, const char *name);

/* Runs an engine, which the cell names, on a trace; sets what is known of the trace in the row. */
int st_grid_fill(const struct st_grid *grid, struct st_grid_row *row, struct st_grid_cell *cell,
                 const struct st_trace_source *source, enum st_relation chosen,
                 struct st_error *error);

/* The engine that is the measure for the others, also if nobody asked for it. */
extern const char st_grid_measure[];

/* Compares the cells of a row with that engine's. */
void st_grid_compare(const struct st_grid *grid, struct st_grid_row *row,
                     const struct st_grid_cell *measure);

/* Runs all engines on a trace. What is chosen as `relation` may be ST_USUAL_RELATION. */
int st_grid_add(struct st_grid *grid, const char *name, const struct st_trace_source *source,
                enum st_relation relation, struct st_error *error);

/* The cell of an engine in a row, or NULL. */
const struct st_grid_cell *st_grid_cell_of(const struct st_grid *grid,
                                           const struct st_grid_row *row, const char *engine);

/* Do two engines without known errors give opposite verdicts on a trace? */
bool st_grid_disagrees(const struct st_grid *grid, const struct st_grid_row *row);

#endif
