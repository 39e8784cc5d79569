#include "cli/compare/compare_tables.h"

#include "base/json.h"
#include "base/memory.h"
#include "report/text/text_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COMPARE_SCHEMA "seriatim-compare/1"

const char *const compare_layout_words[] = {
    [LAYOUT_CELLS] = "cells",       [LAYOUT_TIMES] = "times",   [LAYOUT_VIOLATIONS] = "violations",
    [LAYOUT_DYNAMIC] = "dynamic",   [LAYOUT_MEMORY] = "memory", [LAYOUT_WORK] = "work",
    [LAYOUT_OVERHEAD] = "overhead", [LAYOUT_COUNT] = NULL};

/* ---- cells of a table ---- */

static void add_time(const struct comparison *c, struct st_sheet *table,
                     const struct st_grid_cell *cell) {
    char text[24];
    st_scale_time(text, sizeof text, cell->seconds);
    if (cell->timed_out)
        st_sheet_add(table, "TO");
    else if (c->raw)
        st_sheet_add(table, "%.6f", cell->seconds);
    else
        st_sheet_add(table, "%s", text);
}

static void add_bytes(const struct comparison *c, struct st_sheet *table,
                      const struct st_grid_cell *cell) {
    if (c->raw)
        st_sheet_add(table, "%zu", cell->peak_bytes);
    else
        st_sheet_add(table, "%.1f KiB", (double)cell->peak_bytes / 1024);
}

static const char *verdict_of(const struct st_grid_cell *cell) {
    return cell->timed_out                        ? "TO"
           : cell->engine == &st_empty            ? "-"
           : cell->verdict == ST_SERIALIZABLE     ? "serializable"
           : cell->verdict == ST_NOT_SERIALIZABLE ? "not serializable"
                                                  : "gave up";
}

/* A number that may not be known. */
static void add_number(struct st_sheet *table, bool known, uint64_t number) {
    if (known)
        st_sheet_add(table, "%" PRIu64, number);
    else
        st_sheet_add(table, "-");
}

/* Is what the engine found final? */
static bool is_final(const struct st_grid_cell *cell) {
    return !cell->timed_out && !cell->gave_up;
}

static bool counts_blocks(const struct st_grid_cell *cell) {
    return cell->names_blocks && is_final(cell);
}

/* How many times faster than the base, and is that only a lower bound? 0: not known. */
static double speedup_of(const struct comparison *c, const struct st_grid_row *row,
                         const struct st_grid_cell *cell, bool *at_least) {
    const struct st_grid_cell *base = c->base ? st_grid_cell_of(c->grid, row, c->base) : NULL;
    if (!base || cell->timed_out || cell->seconds <= 0)
        return 0;
    *at_least = base->timed_out;
    return (base->timed_out ? c->grid->timeout : base->seconds) / cell->seconds;
}

static void add_speedup(const struct comparison *c, struct st_sheet *table,
                        const struct st_grid_row *row, const struct st_grid_cell *cell) {
    bool at_least = false;
    double speedup = speedup_of(c, row, cell, &at_least);
    if (speedup > 0)
        st_sheet_add(table, "%s%.2f", at_least ? "> " : "", speedup);
    else
        st_sheet_add(table, "-");
}

/* ---- layouts ---- */

static void add_texts(struct st_sheet *table, const char *const *texts) {
    for (; *texts; texts++)
        st_sheet_add(table, "%s", *texts);
}

/* Trace, events, threads, locks, variables and transactions. */
static void add_size(struct st_sheet *table, const struct st_grid_row *row) {
    st_sheet_add(table, "%s", row->name);
    st_sheet_add(table, "%" PRIu64, row->facts.events);
    st_sheet_add(table, "%" PRIu64, row->counts.threads);
    st_sheet_add(table, "%" PRIu64, row->counts.locks);
    st_sheet_add(table, "%" PRIu64, row->counts.variables);
    st_sheet_add(table, "%" PRIu64, row->transactions);
}

#define SIZE_TITLES "trace", "events", "threads", "locks", "variables", "transactions"

static void add_cell_row(const struct comparison *c, struct st_sheet *table,
                         const struct st_grid_row *row, const struct st_grid_cell *cell) {
    bool counts = counts_blocks(cell);
    add_size(table, row);
    st_sheet_add(table, "%s", cell->engine->name);
    st_sheet_add(table, "%s", verdict_of(cell));
    add_number(table, cell->first_bad_event && is_final(cell), cell->first_bad_event);
    add_number(table, counts, cell->distinct);
    add_number(table, counts, cell->dynamic);
    add_number(table, cell->measured, cell->missed);
    add_number(table, cell->measured, cell->wrong);
    add_time(c, table, cell);
    add_speedup(c, table, row, cell);
    add_bytes(c, table, cell);
}

static struct st_sheet lay_out_cells(const struct comparison *c) {
    static const char *const titles[] = {SIZE_TITLES, "engine",   "verdict",    "first bad event",
                                         "distinct",  "dynamic",  "missed",     "false",
                                         "time",      "speed-up", "peak state", NULL};
    struct st_sheet table = {.columns = sizeof titles / sizeof *titles - 1};
    add_texts(&table, titles);
    for (size_t i = 0; i < c->grid->row_count; i++)
        for (size_t j = 0; j < c->grid->engine_count; j++)
            add_cell_row(c, &table, &c->grid->rows[i], &c->grid->rows[i].cells[j]);
    return table;
}

/* A title for each engine: "velodrome", or with a text behind it. */
static void add_engine_titles(const struct comparison *c, struct st_sheet *table,
                              const char *behind) {
    for (size_t j = 0; j < c->grid->engine_count; j++)
        st_sheet_add(table, "%s%s", c->grid->engines[j]->name, behind);
}

/* The verdict of the row: that of the first engine without known errors that has one. */
static const char *verdict_of_row(const struct comparison *c, const struct st_grid_row *row) {
    for (size_t j = 0; j < c->grid->engine_count; j++)
        if (!row->cells[j].engine->published_form_of && is_final(&row->cells[j]))
            return row->cells[j].verdict == ST_SERIALIZABLE ? "yes" : "no";
    return "-";
}

static struct st_sheet lay_out_times(const struct comparison *c) {
    static const char *const titles[] = {SIZE_TITLES, "serializable", NULL};
    size_t engines = c->grid->engine_count;
    struct st_sheet table = {.columns = sizeof titles / sizeof *titles - 1 + 2 * engines};
    add_texts(&table, titles);
    add_engine_titles(c, &table, "");
    add_engine_titles(c, &table, " speed-up");
    for (size_t i = 0; i < c->grid->row_count; i++) {
        const struct st_grid_row *row = &c->grid->rows[i];
        add_size(&table, row);
        st_sheet_add(&table, "%s", verdict_of_row(c, row));
        for (size_t j = 0; j < engines; j++)
            add_time(c, &table, &row->cells[j]);
        for (size_t j = 0; j < engines; j++)
            add_speedup(c, &table, row, &row->cells[j]);
    }
    return table;
}

/* A column of numbers with its sum, which is not known where one of them is not. */
struct column {
    bool (*is_known)(const struct st_grid_cell *cell);
    uint64_t (*number)(const struct st_grid_cell *cell);
};

static void add_numbers(const struct comparison *c, struct st_sheet *table, size_t row,
                        const struct column *column) {
    for (size_t j = 0; j < c->grid->engine_count; j++) {
        bool known = true;
        uint64_t sum = 0;
        size_t first = row < c->grid->row_count ? row : 0;
        size_t last = row < c->grid->row_count ? row + 1 : row;
        for (size_t i = first; i < last; i++) {
            const struct st_grid_cell *cell = &c->grid->rows[i].cells[j];
            known &= column->is_known(cell);
            sum += column->number(cell);
        }
        add_number(table, known, sum);
    }
}

static uint64_t is_bad(const struct st_grid_cell *cell) {
    return cell->verdict == ST_NOT_SERIALIZABLE;
}

static uint64_t distinct_of(const struct st_grid_cell *cell) {
    return cell->distinct;
}

static uint64_t dynamic_of(const struct st_grid_cell *cell) {
    return cell->dynamic;
}

static uint64_t missed_of(const struct st_grid_cell *cell) {
    return cell->missed;
}

static uint64_t wrong_of(const struct st_grid_cell *cell) {
    return cell->wrong;
}

static bool is_measured(const struct st_grid_cell *cell) {
    return cell->measured;
}

/* The name of a row, or "total" for the one behind the last. */
static void add_name(const struct comparison *c, struct st_sheet *table, size_t row) {
    st_sheet_add(table, "%s", row < c->grid->row_count ? c->grid->rows[row].name : "total");
}

static struct st_sheet lay_out_violations(const struct comparison *c) {
    static const struct column columns[] = {{is_final, is_bad},
                                            {counts_blocks, distinct_of},
                                            {is_measured, missed_of},
                                            {is_measured, wrong_of}};
    static const char *const titles[] = {" bad", " distinct", " missed", " false"};
    struct st_sheet table = {.columns = 1 + 4 * c->grid->engine_count};
    st_sheet_add(&table, "trace");
    for (size_t k = 0; k < 4; k++)
        add_engine_titles(c, &table, titles[k]);
    for (size_t i = 0; i <= c->grid->row_count; i++) {
        add_name(c, &table, i);
        for (size_t k = 0; k < 4; k++)
            add_numbers(c, &table, i, &columns[k]);
    }
    return table;
}

/* In percent of what RegionTrack reports. */
static void add_share(const struct comparison *c, struct st_sheet *table,
                      const struct st_grid_row *row, const struct st_grid_cell *cell) {
    const struct st_grid_cell *all = st_grid_cell_of(c->grid, row, "regiontrack");
    if (all && counts_blocks(all) && all->dynamic && counts_blocks(cell))
        st_sheet_add(table, "%.2f", 100.0 * (double)cell->dynamic / (double)all->dynamic);
    else
        st_sheet_add(table, "-");
}

static struct st_sheet lay_out_dynamic(const struct comparison *c) {
    static const struct column dynamic = {counts_blocks, dynamic_of};
    size_t engines = c->grid->engine_count;
    struct st_sheet table = {.columns = 1 + 2 * engines};
    st_sheet_add(&table, "trace");
    add_engine_titles(c, &table, "");
    add_engine_titles(c, &table, " %");
    for (size_t i = 0; i <= c->grid->row_count; i++) {
        add_name(c, &table, i);
        add_numbers(c, &table, i, &dynamic);
        for (size_t j = 0; j < engines; j++)
            if (i < c->grid->row_count)
                add_share(c, &table, &c->grid->rows[i], &c->grid->rows[i].cells[j]);
            else
                st_sheet_add(&table, "-");
    }
    return table;
}

static struct st_sheet lay_out_memory(const struct comparison *c) {
    struct st_sheet table = {.columns = 1 + c->grid->engine_count};
    st_sheet_add(&table, "trace");
    add_engine_titles(c, &table, "");
    for (size_t i = 0; i < c->grid->row_count; i++) {
        add_name(c, &table, i);
        for (size_t j = 0; j < c->grid->engine_count; j++)
            add_bytes(c, &table, &c->grid->rows[i].cells[j]);
    }
    return table;
}

/* The name of a counter: in words for people. */
static void add_counter_title(const struct comparison *c, struct st_sheet *table,
                              const char *engine, const char *counter) {
    char *words = st_strdup(counter);
    for (char *at = words; !c->raw && (at = strchr(at, '_')); at++)
        *at = ' ';
    st_sheet_add(table, "%s %s", engine, words);
    free(words);
}

/* Which counters an engine has does not depend on the trace. */
static struct st_sheet lay_out_work(const struct comparison *c) {
    const struct st_grid *grid = c->grid;
    struct st_sheet table = {.columns = 1};
    st_sheet_add(&table, "trace");
    for (size_t j = 0; grid->row_count && j < grid->engine_count; j++)
        for (size_t k = 0; k < grid->rows[0].cells[j].counters.count; k++) {
            add_counter_title(c, &table, grid->engines[j]->name,
                              grid->rows[0].cells[j].counters.items[k].name);
            table.columns++;
        }
    for (size_t i = 0; i < grid->row_count; i++) {
        add_name(c, &table, i);
        for (size_t j = 0; j < grid->engine_count; j++)
            for (size_t k = 0; k < grid->rows[i].cells[j].counters.count; k++)
                st_sheet_add(&table, "%" PRIu64, grid->rows[i].cells[j].counters.items[k].value);
    }
    return table;
}

struct st_sheet compare_table(const struct comparison *comparison, enum compare_layout layout) {
    static struct st_sheet (*const layouts[])(const struct comparison *c) = {
        [LAYOUT_CELLS] = lay_out_cells,           [LAYOUT_TIMES] = lay_out_times,
        [LAYOUT_VIOLATIONS] = lay_out_violations, [LAYOUT_DYNAMIC] = lay_out_dynamic,
        [LAYOUT_MEMORY] = lay_out_memory,         [LAYOUT_WORK] = lay_out_work};
    return layouts[layout](comparison);
}

/* ---- JSON ---- */

static void write_number(struct st_json *json, const char *key, bool known, uint64_t number) {
    st_json_key(json, key);
    if (known)
        st_json_number(json, number);
    else
        st_json_null(json);
}

static void write_verdict(const struct st_grid_cell *cell, struct st_json *json) {
    st_json_key(json, "serializable");
    if (is_final(cell) && cell->verdict != ST_UNDECIDED)
        st_json_bool(json, cell->verdict == ST_SERIALIZABLE);
    else
        st_json_null(json);
}

static void write_cell(const struct comparison *c, const struct st_grid_row *row,
                       const struct st_grid_cell *cell, struct st_json *json) {
    bool at_least = false, counts = counts_blocks(cell);
    double speedup = speedup_of(c, row, cell, &at_least);
    st_json_object(json);
    st_json_string_field(json, "engine", cell->engine->name);
    st_json_maybe_string_field(json, "published_form_of", cell->engine->published_form_of);
    st_json_bool_field(json, "timeout", cell->timed_out);
    st_json_maybe_string_field(json, "gave_up", cell->gave_up);
    write_verdict(cell, json);
    write_number(json, "first_bad_event", cell->first_bad_event && is_final(cell),
                 cell->first_bad_event);
    write_number(json, "distinct", counts, cell->distinct);
    write_number(json, "dynamic", counts, cell->dynamic);
    write_number(json, "missed", cell->measured, cell->missed);
    write_number(json, "false", cell->measured, cell->wrong);
    st_json_key(json, "time_seconds");
    st_json_real(json, cell->seconds);
    st_json_key(json, "speedup");
    if (speedup > 0)
        st_json_real(json, speedup);
    else
        st_json_null(json);
    st_json_bool_field(json, "speedup_at_least", at_least);
    st_json_number_field(json, "peak_state_bytes", cell->peak_bytes);
    st_json_key(json, "counters");
    st_json_flat_object(json);
    for (size_t k = 0; k < cell->counters.count; k++)
        st_json_number_field(json, cell->counters.items[k].name, cell->counters.items[k].value);
    st_json_object_end(json);
    st_json_object_end(json);
}

static void write_row(const struct comparison *c, const struct st_grid_row *row,
                      struct st_json *json) {
    st_json_object(json);
    st_json_string_field(json, "trace", row->name);
    st_json_number_field(json, "events", row->facts.events);
    st_json_number_field(json, "threads", row->counts.threads);
    st_json_number_field(json, "locks", row->counts.locks);
    st_json_number_field(json, "variables", row->counts.variables);
    st_json_number_field(json, "channels", row->counts.channels);
    st_json_number_field(json, "transactions", row->transactions);
    st_json_number_field(json, "unary", row->unary);
    st_json_bool_field(json, "truncated", row->truncated);
    st_json_string_field(json, "relation", st_relation_name(row->relation));
    st_json_bool_field(json, "agree", !st_grid_disagrees(c->grid, row));
    st_json_key(json, "engines");
    st_json_array(json);
    for (size_t j = 0; j < c->grid->engine_count; j++)
        write_cell(c, row, &row->cells[j], json);
    st_json_array_end(json);
    st_json_object_end(json);
}

void compare_json(const struct comparison *comparison, FILE *file) {
    struct st_json json;
    st_json_start(&json, file);
    st_json_object(&json);
    st_json_string_field(&json, "schema", COMPARE_SCHEMA);
    st_json_maybe_string_field(&json, "base", comparison->base);
    st_json_key(&json, "timeout_seconds");
    if (comparison->grid->timeout > 0)
        st_json_real(&json, comparison->grid->timeout);
    else
        st_json_null(&json);
    st_json_key(&json, "traces");
    st_json_array(&json);
    for (size_t i = 0; i < comparison->grid->row_count; i++)
        write_row(comparison, &comparison->grid->rows[i], &json);
    st_json_array_end(&json);
    st_json_object_end(&json);
    st_json_finish(&json);
}
