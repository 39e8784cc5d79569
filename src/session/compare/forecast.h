/* Traces × predictors: what each says of each trace, what it costs, and the tables of its paper.
 *
 *     st_forecast_init(&forecast, timeout);
 *     st_forecast_choose(&forecast, "reduction:online,blocks", &error);   or
 *     st_forecast_choose_table(&forecast, "segments", &error);
 *     ... for each trace ... st_forecast_add(&forecast, name, &source, relation, &error)
 *     ... forecast.rows[i] ...
 *     st_forecast_free(&forecast);
 */
#ifndef SERIATIM_SESSION_COMPARE_FORECAST_H
#define SERIATIM_SESSION_COMPARE_FORECAST_H

#include "predict/analysis.h"
#include "session/trace_input.h"

enum { ST_MOST_FORECASTERS = 16 };

/* A predictor, with flags of its own that are set: "reduction", "reduction:online". */
struct st_forecaster {
    char *name;
    const struct st_predictor *predictor;
    void *own;
};

/* What a trace is made of. */
struct st_trace_shape {
    uint64_t events, threads, blocks; /* outermost blocks that count */
    uint64_t lock_events, locks, accesses, variables, channel_events;
};

struct st_forecast_cell {
    uint64_t names, blocks; /* reported */
    uint64_t proven;        /* of the blocks, those with a schedule that shows it */
    uint64_t undecided;
    double seconds;
    uint64_t storage;
    const char *unit; /* of the storage; NULL: it counts none */
};

struct st_forecast_row {
    char *name;
    struct st_trace_shape shape;
    struct st_forecast_cell *cells; /* as many as forecasters; or, with a table: */
    struct st_table table;
};

struct st_forecast {
    struct st_forecaster forecasters[ST_MOST_FORECASTERS];
    size_t count;
    const struct st_predictor_table *table; /* of the only forecaster; NULL: there are cells */
    double timeout; /* seconds for each block, or for what is searched as a whole; 0: none */
    struct st_forecast_row *rows;
    size_t row_count, row_capacity;
};

void st_forecast_init(struct st_forecast *forecast, double timeout);
void st_forecast_free(struct st_forecast *forecast);

/* Predictors with commas between them, and their flags behind colons; `all` are all predictors.
 * Errors are about the option of compare. */
int st_forecast_choose(struct st_forecast *forecast, const char *text, struct st_error *error);

/* A table of a predictor, by its name. Returns whether there is one. */
bool st_forecast_choose_table(struct st_forecast *forecast, const char *name);

/* The name of the table with that number among those of all predictors, or NULL. */
const char *st_forecast_table_name(size_t index);

int st_forecast_add(struct st_forecast *forecast, const char *name,
                    const struct st_trace_source *source, enum st_relation relation,
                    struct st_error *error);

#endif
