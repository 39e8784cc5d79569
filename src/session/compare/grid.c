#include "session/compare/grid.h"

#include "base/memory.h"
#include "session/engine_run.h"

#include <stdlib.h>
#include <string.h>

/* So many events pass between two looks at the clock. */
enum { SLICE = 256 };

void st_grid_init(struct st_grid *grid, const struct st_engine *const *engines, size_t count,
                  double timeout) {
    *grid = (struct st_grid){.engines = engines, .engine_count = count, .timeout = timeout};
}

void st_grid_free(struct st_grid *grid) {
    for (size_t i = 0; i < grid->row_count; i++) {
        for (size_t j = 0; j < grid->engine_count; j++)
            free(grid->rows[i].cells[j].violated);
        free(grid->rows[i].cells);
        free(grid->rows[i].name);
    }
    for (size_t i = 0; i < grid->text_count; i++)
        free(grid->texts[i]);
    free(grid->texts);
    free(grid->rows);
}

/* ---- one cell ---- */

static bool is_out_of_time(const struct st_grid *grid, const struct st_engine_run *run) {
    return grid->timeout > 0 && run->seconds > grid->timeout;
}

static void feed(const struct st_grid *grid, struct st_engine_run *run,
                 const struct st_trace *trace, const struct st_event *events, size_t count,
                 uint64_t first) {
    size_t ended_count;
    const struct st_variable_run *ended = st_trace_ended(trace, &ended_count);
    st_engine_run_forget(run, ended, ended_count);
    for (size_t i = 0; i < count && !is_out_of_time(grid, run); i += SLICE)
        st_engine_run_feed(run, events + i, NULL, count - i < SLICE ? count - i : SLICE, first + i);
    st_engine_run_note_memory(run);
}

/* Which names are of outermost blocks that are violated? */
static void note_names(struct st_grid_cell *cell, const struct st_findings *findings) {
    size_t count = findings->violated_capacity + 1;
    cell->violated = st_alloc(count, sizeof *cell->violated);
    cell->violated_count = count;
    for (size_t i = 0; i < count; i++) {
        uint32_t name = i ? (uint32_t)i - 1 : ST_NO_NAME;
        cell->violated[i] =
            st_findings_violated(findings, name) && st_findings_depth(findings, name) == 0;
        cell->distinct += cell->violated[i];
    }
}

static void note_result(const struct st_grid *grid, struct st_grid_cell *cell,
                        const struct st_engine_run *run) {
    const struct st_findings *findings = &run->findings;
    struct st_result result = st_engine_run_result(run, findings);
    cell->timed_out = is_out_of_time(grid, run);
    cell->gave_up = findings->gave_up;
    cell->verdict = findings->verdict;
    cell->first_bad_event = findings->first_bad_event;
    cell->names_blocks = findings->names_blocks;
    cell->dynamic = findings->violation_count;
    cell->seconds = result.seconds;
    cell->peak_bytes = result.peak_bytes;
    cell->counters = result.counters;
    note_names(cell, findings);
}

/* How deep each thread is in blocks. */
struct depths {
    uint32_t *of;
    size_t capacity;
};

static void count_transactions(struct st_grid_row *row, struct depths *depths,
                               const struct st_event *events, size_t count) {
    st_reserve(&depths->of, &depths->capacity, st_batch_extent(events, count).threads);
    for (size_t i = 0; i < count; i++) {
        uint32_t *depth = &depths->of[events[i].thread];
        if (events[i].op == ST_BEGIN)
            row->transactions += (*depth)++ == 0;
        else if (events[i].op == ST_END)
            --*depth;
        else
            row->unary += *depth == 0 && events[i].op < ST_OP_COUNT;
    }
}

/* Reads to the end, even if the engine is out of time, so that the size of the trace is known. */
static int run_engine(const struct st_grid *grid, struct st_grid_row *row,
                      struct st_engine_run *run, struct st_trace_input *input,
                      struct st_error *error) {
    const struct st_trace *trace = input->reading.trace;
    struct st_event *events;
    struct depths depths = {NULL, 0};
    uint64_t first;
    long count;
    row->transactions = row->unary = 0;
    while ((count = st_trace_input_next(input, &events, &first, error)) > 0) {
        count_transactions(row, &depths, events, (size_t)count);
        if (is_out_of_time(grid, run))
            continue;
        st_relation_apply(row->relation, st_trace_channels(trace), events, (size_t)count);
        feed(grid, run, trace, events, (size_t)count, first);
    }
    free(depths.of);
    st_reading_stop(&input->reading);
    if (count == 0 && !is_out_of_time(grid, run))
        st_engine_run_finish(run, st_trace_input_events(input));
    st_engine_run_note_memory(run);
    return (int)count;
}

static void note_trace(struct st_grid_row *row, struct st_trace_input *input) {
    const struct st_symbols *symbols = st_trace_input_symbols(input);
    struct st_report report = {.symbols = symbols};
    row->facts = st_trace_input_facts(input);
    row->facts.executed = NULL; /* which belongs to the input */
    row->facts.executed_count = row->facts.executed_capacity = 0;
    row->counts = st_report_counts(&report);
    row->truncated =
        st_trace_truncated(input->reading.trace) || row->facts.open_blocks || row->facts.held_locks;
}

int st_grid_fill(const struct st_grid *grid, struct st_grid_row *row, struct st_grid_cell *cell,
                 const struct st_trace_source *source, enum st_relation chosen,
                 struct st_error *error) {
    struct st_trace_input input;
    struct st_engine_run run;
    if (st_trace_input_open(&input, source, error) < 0)
        return -1;
    row->relation = st_relation_or_usual(chosen, st_trace_is_recording(input.reading.trace));
    st_engine_run_start(&run, cell->engine, 1, false);
    int result = run_engine(grid, row, &run, &input, error);
    if (result == 0) {
        note_result(grid, cell, &run);
        note_trace(row, &input);
    }
    st_engine_run_free(&run);
    st_trace_input_close(&input);
    return result;
}

/* ---- one trace ---- */

static bool has_name(const struct st_grid_cell *cell, size_t i) {
    return i < cell->violated_count && cell->violated[i];
}

static void measure(struct st_grid_cell *cell, const struct st_grid_cell *regiontrack) {
    cell->measured =
        cell->names_blocks && !cell->timed_out && !regiontrack->timed_out && !regiontrack->gave_up;
    size_t count = cell->violated_count;
    if (count < regiontrack->violated_count)
        count = regiontrack->violated_count;
    for (size_t i = 0; cell->measured && i < count; i++) {
        cell->missed += has_name(regiontrack, i) && !has_name(cell, i);
        cell->wrong += has_name(cell, i) && !has_name(regiontrack, i);
    }
}

const char st_grid_measure[] = "regiontrack";

void st_grid_compare(const struct st_grid *grid, struct st_grid_row *row,
                     const struct st_grid_cell *regiontrack) {
    for (size_t j = 0; j < grid->engine_count; j++)
        measure(&row->cells[j], regiontrack);
}

/* Runs it if it was not run. */
static int measure_row(const struct st_grid *grid, struct st_grid_row *row,
                       const struct st_trace_source *source, enum st_relation chosen,
                       struct st_error *error) {
    struct st_grid_cell own = {.engine = st_engine_find(st_grid_measure)};
    const struct st_grid_cell *regiontrack = st_grid_cell_of(grid, row, st_grid_measure);
    if (!regiontrack) {
        if (st_grid_fill(grid, row, &own, source, chosen, error) < 0)
            return -1;
        regiontrack = &own;
    }
    st_grid_compare(grid, row, regiontrack);
    free(own.violated);
    return 0;
}

struct st_grid_row *st_grid_new_row(struct st_grid *grid, const char *name) {
    st_reserve(&grid->rows, &grid->row_capacity, grid->row_count + 1);
    struct st_grid_row *row = &grid->rows[grid->row_count++];
    row->name = st_strdup(name);
    row->cells = st_alloc(grid->engine_count, sizeof *row->cells);
    for (size_t j = 0; j < grid->engine_count; j++)
        row->cells[j].engine = grid->engines[j];
    return row;
}

int st_grid_add(struct st_grid *grid, const char *name, const struct st_trace_source *source,
                enum st_relation relation, struct st_error *error) {
    struct st_grid_row *row = st_grid_new_row(grid, name);
    for (size_t j = 0; j < grid->engine_count; j++)
        if (st_grid_fill(grid, row, &row->cells[j], source, relation, error) < 0)
            return -1;
    return measure_row(grid, row, source, relation, error);
}

const struct st_grid_cell *st_grid_cell_of(const struct st_grid *grid,
                                           const struct st_grid_row *row, const char *engine) {
    for (size_t j = 0; j < grid->engine_count; j++)
        if (strcmp(grid->engines[j]->name, engine) == 0)
            return &row->cells[j];
    return NULL;
}

bool st_grid_disagrees(const struct st_grid *grid, const struct st_grid_row *row) {
    bool yes = false, no = false;
    for (size_t j = 0; j < grid->engine_count; j++) {
        const struct st_grid_cell *cell = &row->cells[j];
        if (cell->timed_out || cell->engine->published_form_of)
            continue;
        yes |= cell->verdict == ST_SERIALIZABLE;
        no |= cell->verdict == ST_NOT_SERIALIZABLE;
    }
    return yes && no;
}
