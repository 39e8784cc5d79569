#include "session/compare/forecast.h"

#include "base/memory.h"
#include "session/trace_prediction.h"

#include <stdlib.h>
#include <string.h>

void st_forecast_init(struct st_forecast *forecast, double timeout) {
    *forecast = (struct st_forecast){.timeout = timeout};
}

void st_forecast_free(struct st_forecast *forecast) {
    for (size_t i = 0; i < forecast->count; i++) {
        free(forecast->forecasters[i].name);
        free(forecast->forecasters[i].own);
    }
    for (size_t i = 0; i < forecast->row_count; i++) {
        free(forecast->rows[i].name);
        free(forecast->rows[i].cells);
        if (forecast->rows[i].table.columns)
            st_table_free(&forecast->rows[i].table);
    }
    free(forecast->rows);
}

/* ---- predictors ---- */

/* False: it has no such flag. */
static bool set_flag(struct st_forecaster *forecaster, const char *flag) {
    for (const struct st_option *row = forecaster->predictor->options; row && row->name; row++)
        if (strcmp(row->name, flag) == 0 && row->kind == ST_FLAG) {
            *(bool *)((char *)forecaster->own + row->offset) = true;
            return true;
        }
    return false;
}

static struct st_forecaster *add(struct st_forecast *forecast, const struct st_predictor *predictor,
                                 const char *name) {
    struct st_forecaster *forecaster = &forecast->forecasters[forecast->count++];
    *forecaster =
        (struct st_forecaster){st_strdup(name), predictor, st_alloc(1, predictor->own_size + 1)};
    return forecaster;
}

/* "reduction:online" */
static int add_named(struct st_forecast *forecast, const char *name, struct st_error *error) {
    char *words = st_strdup(name), *rest = words, *flag;
    const struct st_predictor *predictor = st_predictor_find(strsep(&rest, ":"));
    char quoted[80];
    int result = 0;
    if (!predictor || forecast->count == ST_MOST_FORECASTERS)
        result =
            st_fail(error, "compare", ST_AT_FILE, 0,
                    "%s in --engines is none that predicts; 'seriatim help predict' lists them",
                    st_quote(quoted, sizeof quoted, name, strlen(name)));
    struct st_forecaster *forecaster = result == 0 ? add(forecast, predictor, name) : NULL;
    while (result == 0 && (flag = strsep(&rest, ":")))
        if (!set_flag(forecaster, flag))
            result = st_fail(error, "compare", ST_AT_FILE, 0, "%s in --engines has no option --%s",
                             predictor->name, flag);
    free(words);
    return result;
}

int st_forecast_choose(struct st_forecast *forecast, const char *text, struct st_error *error) {
    char *names = st_strdup(text), *rest = names, *name;
    int result = 0;
    while (result == 0 && (name = strsep(&rest, ",")))
        if (strcmp(name, "all") != 0)
            result = add_named(forecast, name, error);
        else
            for (size_t i = 0; st_predictors[i] && result == 0; i++)
                result = add_named(forecast, st_predictors[i]->name, error);
    free(names);
    return result;
}

/* The table with that number among those of all predictors, and whose it is. */
static const struct st_predictor_table *table_at(size_t index,
                                                 const struct st_predictor **predictor) {
    for (size_t i = 0; st_predictors[i]; i++) {
        const struct st_predictor_table *tables = st_predictors[i]->tables;
        *predictor = st_predictors[i];
        for (; tables && tables->option; tables++)
            if (!index--)
                return tables;
    }
    return NULL;
}

const char *st_forecast_table_name(size_t index) {
    const struct st_predictor *predictor;
    const struct st_predictor_table *table = table_at(index, &predictor);
    return table ? table->name : NULL;
}

bool st_forecast_choose_table(struct st_forecast *forecast, const char *name) {
    const struct st_predictor *predictor;
    for (size_t i = 0; (forecast->table = table_at(i, &predictor)); i++)
        if (strcmp(forecast->table->name, name) == 0)
            return set_flag(add(forecast, predictor, predictor->name), forecast->table->option);
    return false;
}

/* ---- what a trace is made of ---- */

struct shaping {
    struct st_trace_shape *shape;
    uint32_t *depths; /* by thread: open blocks */
    size_t capacity;
};

static void take_event(struct shaping *shaping, const struct st_event *event) {
    struct st_trace_shape *shape = shaping->shape;
    switch (event->op) {
    case ST_READ:
    case ST_WRITE:
        shape->accesses++;
        break;
    case ST_ACQUIRE:
    case ST_RELEASE:
        shape->lock_events++;
        break;
    case ST_SEND:
    case ST_RECEIVE:
        shape->channel_events++;
        break;
    case ST_BEGIN:
        shape->blocks += shaping->depths[event->thread]++ == 0;
        break;
    case ST_END:
        shaping->depths[event->thread]--;
        break;
    default:
        break;
    }
}

static void take_events(void *context, const struct st_event *events, size_t count,
                        uint64_t first) {
    struct shaping *shaping = context;
    (void)first;
    for (size_t i = 0; i < count; i++) {
        st_reserve(&shaping->depths, &shaping->capacity, (size_t)events[i].thread + 1);
        take_event(shaping, &events[i]);
    }
    shaping->shape->events += count;
}

static int find_shape(struct st_trace_shape *shape, struct st_trace_input *input,
                      struct st_error *error) {
    struct shaping shaping = {.shape = shape};
    int result = st_trace_input_pass(input, take_events, &shaping, error);
    const struct st_symbols *symbols = st_trace_symbols(input->reading.trace);
    shape->threads = symbols->threads.count;
    shape->locks = symbols->locks.count;
    shape->variables = symbols->variables.count;
    free(shaping.depths);
    return result;
}

/* ---- one trace ---- */

static struct st_forecast_cell cell_of(const struct st_prediction *prediction) {
    struct st_forecast_cell cell = {.blocks = st_all_reported(prediction),
                                    .proven = prediction->by[ST_BLOCK_VIOLATION],
                                    .undecided = prediction->by[ST_BLOCK_TIMEOUT],
                                    .seconds = prediction->seconds,
                                    .storage = prediction->storage,
                                    .unit = prediction->storage_unit};
    for (size_t i = 0; i < prediction->name_capacity; i++)
        cell.names += prediction->reported[i] > 0;
    cell.names += prediction->unnamed_reported > 0;
    return cell;
}

static void note_results(struct st_forecast *forecast, struct st_forecast_row *row,
                         struct st_trace_prediction *prediction, struct st_trace_input *input) {
    if (forecast->table) {
        forecast->table->fill(prediction->run, &prediction->plan->options, &row->table);
        return;
    }
    st_trace_prediction_run(prediction, input);
    row->cells = st_alloc(forecast->count, sizeof *row->cells);
    for (size_t i = 0; i < forecast->count; i++)
        row->cells[i] = cell_of(&prediction->predictions.items[i]);
}

static int predict(struct st_forecast *forecast, struct st_forecast_row *row,
                   struct st_trace_input *input, enum st_relation chosen, struct st_error *error) {
    struct st_analysis analyses[ST_MOST_FORECASTERS];
    struct st_predict_plan plan = {
        .options = {.jobs = 1,
                    .timeout = forecast->timeout,
                    .limit = 1,
                    .relation =
                        st_relation_or_usual(chosen, st_trace_is_recording(input->reading.trace))},
        .analyses = analyses,
        .analysis_count = forecast->count};
    struct st_trace_prediction prediction = {.plan = &plan};
    for (size_t i = 0; i < forecast->count; i++)
        analyses[i] =
            (struct st_analysis){forecast->forecasters[i].predictor, forecast->forecasters[i].own};
    int result = st_trace_prediction_read(&prediction, input, st_trace_input_pass, error);
    if (result == 0)
        note_results(forecast, row, &prediction, input);
    st_trace_prediction_free(&prediction);
    return result;
}

int st_forecast_add(struct st_forecast *forecast, const char *name,
                    const struct st_trace_source *source, enum st_relation relation,
                    struct st_error *error) {
    struct st_trace_input input;
    st_reserve(&forecast->rows, &forecast->row_capacity, forecast->row_count + 1);
    struct st_forecast_row *row = &forecast->rows[forecast->row_count++];
    *row = (struct st_forecast_row){.name = st_strdup(name)};
    if (st_trace_input_open(&input, source, error) < 0)
        return -1;
    int result = find_shape(&row->shape, &input, error);
    if (result == 0)
        result = predict(forecast, row, &input, relation, error);
    st_trace_input_close(&input);
    return result;
}
