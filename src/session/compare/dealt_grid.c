#include "session/compare/dealt_grid.h"

#include "base/memory.h"
#include "cluster/shared_files.h"

#include <stdlib.h>
#include <string.h>

/* A row that is being filled: the trace, all cells and, behind them, one for the engine that is the
 * measure, if it is not among them. */
struct gathered {
    struct st_grid_row row;
    struct st_grid_cell *cells;
    size_t filled;
};

struct dealt_grid {
    struct st_grid *grid;
    struct st_crew *crew;
    struct st_grid_traces *traces;
    size_t columns, done;
    struct gathered *rows;
    struct st_error error; /* of the first cell that failed */
    size_t failed;
};

static const struct st_engine *engine_of(const struct st_grid *grid, size_t column) {
    return column < grid->engine_count ? grid->engines[column] : st_engine_find(st_grid_measure);
}

static size_t count_columns(const struct st_grid *grid) {
    for (size_t j = 0; j < grid->engine_count; j++)
        if (strcmp(grid->engines[j]->name, st_grid_measure) == 0)
            return grid->engine_count;
    return grid->engine_count + 1;
}

/* ---- cells as bytes ---- */

/* Texts of a cell are constants of an engine. Those from elsewhere belong to the grid: few are
 * different. */
static const char *keep_text(struct st_grid *grid, struct st_unpacking *from) {
    char *text = st_unpack_text(from);
    if (!text)
        return NULL;
    for (size_t i = 0; i < grid->text_count; i++)
        if (strcmp(grid->texts[i], text) == 0) {
            free(text);
            return grid->texts[i];
        }
    st_reserve(&grid->texts, &grid->text_capacity, grid->text_count + 1);
    return grid->texts[grid->text_count++] = text;
}

static void pack_row(struct st_packed *to, const struct st_grid_row *row) {
    st_pack_raw(to, &row->facts, sizeof row->facts); /* without pointers */
    st_pack_raw(to, &row->counts, sizeof row->counts);
    st_pack_number(to, row->transactions);
    st_pack_number(to, row->unary);
    st_pack_number(to, row->relation);
    st_pack_number(to, row->truncated);
}

static void unpack_row(struct st_unpacking *from, struct st_grid_row *row) {
    st_unpack_raw(from, &row->facts, sizeof row->facts);
    row->facts.executed = NULL;
    st_unpack_raw(from, &row->counts, sizeof row->counts);
    row->transactions = st_unpack_number(from);
    row->unary = st_unpack_number(from);
    row->relation = (enum st_relation)st_unpack_below(from, ST_DATA + 1);
    row->truncated = st_unpack_number(from);
}

static void pack_cell(struct st_packed *to, const struct st_grid_cell *cell) {
    st_pack_number(to, cell->timed_out);
    st_pack_text(to, cell->gave_up);
    st_pack_number(to, cell->verdict);
    st_pack_number(to, cell->first_bad_event);
    st_pack_number(to, cell->names_blocks);
    st_pack_number(to, cell->dynamic);
    st_pack_number(to, cell->distinct);
    st_pack_real(to, cell->seconds);
    st_pack_number(to, cell->peak_bytes);
    st_pack_number(to, cell->counters.count);
    for (size_t i = 0; i < cell->counters.count; i++) {
        st_pack_text(to, cell->counters.items[i].name);
        st_pack_number(to, cell->counters.items[i].value);
    }
    st_pack_bytes(to, cell->violated, cell->violated_count * sizeof *cell->violated);
}

static void unpack_cell(struct st_grid *grid, struct st_unpacking *from,
                        struct st_grid_cell *cell) {
    cell->timed_out = st_unpack_number(from);
    cell->gave_up = keep_text(grid, from);
    cell->verdict = (enum st_verdict)st_unpack_number(from);
    cell->first_bad_event = st_unpack_number(from);
    cell->names_blocks = st_unpack_number(from);
    cell->dynamic = st_unpack_number(from);
    cell->distinct = st_unpack_number(from);
    cell->seconds = st_unpack_real(from);
    cell->peak_bytes = st_unpack_number(from);
    size_t counters = st_unpack_below(from, ST_MOST_COUNTERS + 1);
    for (size_t i = 0; i < counters; i++) {
        const char *name = keep_text(grid, from);
        st_count(&cell->counters, name ? name : "", st_unpack_number(from));
    }
    size_t length;
    const char *violated = st_unpack_bytes(from, &length);
    cell->violated = st_alloc(length + 1, sizeof *cell->violated);
    memcpy(cell->violated, violated, length);
    cell->violated_count = length / sizeof *cell->violated;
}

/* ---- filling one ---- */

static void fill(const struct st_grid *grid, const struct st_grid_traces *traces, const char *name,
                 const char *place, const char *spec, size_t column, struct st_packed *answer) {
    struct st_trace_source source = traces->source;
    struct st_grid_row row = {0};
    struct st_grid_cell cell = {.engine = engine_of(grid, column)};
    struct st_error error;
    source.path = place;
    source.spec = spec;
    if (st_grid_fill(grid, &row, &cell, &source, traces->relation, &error) < 0) {
        st_pack_number(answer, 0);
        if (strcmp(error.file, place) == 0)
            snprintf(error.file, sizeof error.file, "%s", name);
        st_pack_raw(answer, &error, sizeof error);
    } else {
        st_pack_number(answer, 1);
        pack_row(answer, &row);
        pack_cell(answer, &cell);
    }
    free(cell.violated);
}

/* ---- rank 0 ---- */

static void ask(void *context, size_t index, struct st_packed *question) {
    const struct dealt_grid *dealt = context;
    const struct st_grid_traces *traces = dealt->traces;
    const char *spec = traces->source.spec;
    st_pack_number(question, index % dealt->columns);
    st_pack_text(question, traces->names[index / dealt->columns]);
    st_pack_number(question, st_file_sample(traces->paths[index / dealt->columns]));
    st_pack_number(question, spec ? st_file_sample(spec) : 0);
}

static void attach(void *context, size_t index, struct st_packed *question) {
    const struct dealt_grid *dealt = context;
    const char *spec = dealt->traces->source.spec;
    st_pack_file(question, dealt->traces->paths[index / dealt->columns]);
    st_pack_number(question, spec != NULL);
    if (spec)
        st_pack_file(question, spec);
}

static void fail(struct dealt_grid *dealt, size_t index, struct st_unpacking *from) {
    struct st_error error;
    st_unpack_raw(from, &error, sizeof error);
    if (index >= dealt->failed)
        return;
    dealt->failed = index;
    dealt->error = error;
}

static void take(void *context, size_t index, const char *answer, size_t length) {
    struct dealt_grid *dealt = context;
    struct gathered *gathered = &dealt->rows[index / dealt->columns];
    struct st_grid_cell *cell = &gathered->cells[index % dealt->columns];
    struct st_unpacking from = st_unpack(answer, length);
    if (!st_unpack_number(&from)) {
        fail(dealt, index, &from);
        return;
    }
    unpack_row(&from, &gathered->row);
    unpack_cell(dealt->grid, &from, cell);
    gathered->filled++;
    dealt->done++;
    if (dealt->traces->show)
        dealt->traces->show(dealt->traces->context, dealt->done,
                            dealt->columns * dealt->traces->count);
}

static int do_here(void *context, const size_t *indices, size_t count, struct st_packed *answers,
                   struct st_error *error) {
    struct dealt_grid *dealt = context;
    const struct st_grid_traces *traces = dealt->traces;
    (void)error;
    for (size_t i = 0; i < count; i++)
        fill(dealt->grid, traces, traces->names[indices[i] / dealt->columns],
             traces->paths[indices[i] / dealt->columns], traces->source.spec,
             indices[i] % dealt->columns, &answers[i]);
    return 0;
}

static bool is_stopped(void *context) {
    const struct dealt_grid *dealt = context;
    return dealt->failed != SIZE_MAX ||
           (dealt->traces->stopped && dealt->traces->stopped(dealt->traces->context));
}

/* A row that is complete goes into the grid. */
static void add_row(struct dealt_grid *dealt, const char *name, struct gathered *gathered) {
    struct st_grid *grid = dealt->grid;
    struct st_grid_row *row = st_grid_new_row(grid, name), given = *row;
    *row = gathered->row;
    row->name = given.name;
    row->cells = given.cells;
    for (size_t j = 0; j < grid->engine_count; j++) {
        row->cells[j] = gathered->cells[j];
        gathered->cells[j].violated = NULL;
    }
    const struct st_grid_cell *measure = st_grid_cell_of(grid, row, st_grid_measure);
    st_grid_compare(grid, row, measure ? measure : &gathered->cells[grid->engine_count]);
}

static void gather(struct dealt_grid *dealt) {
    struct st_grid_traces *traces = dealt->traces;
    for (size_t i = 0; i < traces->count; i++) {
        struct gathered *gathered = &dealt->rows[i];
        if (gathered->filled == dealt->columns)
            add_row(dealt, traces->names[i], gathered);
        else
            traces->left++;
        for (size_t j = 0; j < dealt->columns; j++)
            free(gathered->cells[j].violated);
        free(gathered->cells);
    }
    free(dealt->rows);
}

int st_grid_deal(struct st_grid *grid, struct st_crew *crew, struct st_grid_traces *traces,
                 struct st_error *error) {
    struct dealt_grid dealt = {.grid = grid,
                               .crew = crew,
                               .traces = traces,
                               .columns = count_columns(grid),
                               .failed = SIZE_MAX};
    struct st_dealing dealing = {.wanted = dealt.columns * traces->count,
                                 .phase = 1,
                                 .batch = 1,
                                 .ask = ask,
                                 .attach = attach,
                                 .take = take,
                                 .do_here = do_here,
                                 .stopped = is_stopped,
                                 .context = &dealt};
    dealt.rows = st_alloc(traces->count, sizeof *dealt.rows);
    for (size_t i = 0; i < traces->count; i++) {
        dealt.rows[i].cells = st_alloc(dealt.columns, sizeof *dealt.rows[i].cells);
        for (size_t j = 0; j < dealt.columns; j++)
            dealt.rows[i].cells[j].engine = engine_of(grid, j);
    }
    int result = st_crew_deal(crew, &dealing, error);
    gather(&dealt);
    if (result == 0 && dealt.failed != SIZE_MAX) {
        *error = dealt.error;
        return -1;
    }
    return result;
}

/* ---- the others ---- */

struct serving_grid {
    const struct st_grid *grid;
    struct st_crew *crew;
    const struct st_grid_traces *traces;
};

static void work(void *context, const char *question, size_t length, struct st_packed *answer) {
    const struct serving_grid *serving = context;
    struct st_unpacking from = st_unpack(question, length);
    char *name, *spec = NULL;
    size_t column = st_unpack_below(&from, serving->grid->engine_count + 1);
    free(st_unpack_text(&from));
    st_unpack_number(&from);
    st_unpack_number(&from);
    char *place = st_unpack_file(serving->crew, &from, &name);
    if (st_unpack_number(&from))
        spec = st_unpack_file(serving->crew, &from, NULL);
    fill(serving->grid, serving->traces, name, place, spec, column, answer);
    free(spec);
    free(place);
    free(name);
}

void st_grid_serve(const struct st_grid *grid, struct st_crew *crew,
                   const struct st_grid_traces *traces) {
    struct serving_grid context = {grid, crew, traces};
    struct st_serving serving = {.phase = 1, .work = work, .context = &context};
    st_crew_serve(crew, &serving, NULL);
}
