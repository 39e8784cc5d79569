#include "cli/compare/online_tables.h"

#include "base/json.h"
#include "report/text/text_parts.h"

#include <inttypes.h>

#define ONLINE_SCHEMA "seriatim-compare-online/1"

/* What a cell costs, or nothing if a run took too long. */
struct cost {
    bool known;
    double value;
};

static struct cost seconds_of(const struct st_online_cell *cell) {
    return (struct cost){cell && !cell->timed_out, cell ? cell->seconds : 0};
}

static struct cost bytes_of(const struct st_online_cell *cell) {
    return (struct cost){cell && !cell->timed_out, cell ? cell->bytes : 0};
}

static struct cost divide(struct cost part, struct cost whole) {
    bool known = part.known && whole.known && whole.value > 0;
    return (struct cost){known, known ? part.value / whole.value : 0};
}

static void add_ratio(struct st_sheet *table, const struct st_online_cell *cell,
                      struct cost ratio) {
    if (ratio.known)
        st_sheet_add(table, "%.2f", ratio.value);
    else
        st_sheet_add(table, "%s", cell->timed_out ? "TO" : "-");
}

static void add_seconds(struct st_sheet *table, struct cost cost, bool raw) {
    char text[24];
    st_scale_time(text, sizeof text, cost.value);
    if (!cost.known)
        st_sheet_add(table, "TO");
    else if (raw)
        st_sheet_add(table, "%.6f", cost.value);
    else
        st_sheet_add(table, "%s", text);
}

static void add_bytes(struct st_sheet *table, struct cost cost, bool raw) {
    if (!cost.known)
        st_sheet_add(table, "TO");
    else if (raw)
        st_sheet_add(table, "%.0f", cost.value);
    else
        st_sheet_add(table, "%.1f MB", cost.value / 1e6);
}

static void add_titles(struct st_sheet *table, const struct st_online *online, const char *behind) {
    for (size_t j = 0; j < online->engine_count; j++)
        st_sheet_add(table, "%s %s", online->engines[j]->name, behind);
}

struct st_sheet online_overhead(const struct st_online *online, bool raw) {
    size_t engines = online->engine_count;
    struct st_sheet table = {.columns = 3 + 2 * engines};
    st_sheet_add(&table, "program");
    st_sheet_add(&table, "native memory");
    add_titles(&table, online, "memory");
    st_sheet_add(&table, "native time");
    add_titles(&table, online, "slowdown");
    for (size_t i = 0; i < online->row_count; i++) {
        const struct st_online_row *row = &online->rows[i];
        st_sheet_add(&table, "%s", row->name);
        add_bytes(&table, bytes_of(&row->native), raw);
        for (size_t j = 0; j < engines; j++)
            add_ratio(&table, &row->cells[j],
                      divide(bytes_of(&row->cells[j]), bytes_of(&row->native)));
        add_seconds(&table, seconds_of(&row->native), raw);
        for (size_t j = 0; j < engines; j++)
            add_ratio(&table, &row->cells[j],
                      divide(seconds_of(&row->cells[j]), seconds_of(&row->native)));
    }
    return table;
}

static void add_count(struct st_sheet *table, bool known, double number) {
    if (known) /* a mean */
        st_sheet_add(table, number == (double)(uint64_t)number ? "%.0f" : "%.2f", number);
    else
        st_sheet_add(table, "-");
}

/* In how many of the runs the engine found no serial order. */
static void add_bad(struct st_sheet *table, const struct st_online_cell *cell) {
    if (cell->answers && !cell->timed_out)
        st_sheet_add(table, "%" PRIu64 " of %" PRIu64, cell->bad, cell->runs);
    else
        st_sheet_add(table, "-");
}

static void add_cell(struct st_sheet *table, const struct st_online *online,
                     const struct st_online_row *row, const struct st_online_cell *cell, bool raw) {
    const struct st_online_cell *empty = st_online_cell_of(online, row, st_empty.name);
    bool watched = cell->engine && !cell->timed_out, names = watched && cell->names_blocks;
    st_sheet_add(table, "%s", row->name);
    st_sheet_add(table, "%s", cell->engine ? cell->engine->name : "native");
    add_seconds(table, seconds_of(cell), raw);
    add_ratio(table, cell, divide(seconds_of(cell), seconds_of(&row->native)));
    add_ratio(table, cell, divide(seconds_of(cell), seconds_of(empty)));
    add_seconds(table, (struct cost){!cell->timed_out, cell->elapsed}, raw);
    add_bytes(table, bytes_of(cell), raw);
    add_ratio(table, cell, divide(bytes_of(cell), bytes_of(&row->native)));
    add_ratio(table, cell, divide(bytes_of(cell), bytes_of(empty)));
    add_count(table, watched, cell->threads);
    add_count(table, watched, cell->events);
    add_bad(table, cell);
    add_count(table, names, cell->distinct);
    add_count(table, names, cell->dynamic);
}

struct st_sheet online_cells(const struct st_online *online, bool raw) {
    static const char *const titles[] = {"program",  "engine",       "time",   "/ native",
                                         "/ empty",  "on the clock", "memory", "/ native",
                                         "/ empty",  "threads",      "events", "not serializable",
                                         "distinct", "dynamic"};
    static const char *const raw_titles[] = {
        "program",        "engine",          "seconds", "slowdown_native",
        "slowdown_empty", "elapsed_seconds", "bytes",   "memory_native",
        "memory_empty",   "threads",         "events",  "not_serializable",
        "distinct",       "dynamic"};
    struct st_sheet table = {.columns = sizeof titles / sizeof *titles};
    for (size_t i = 0; i < table.columns; i++)
        st_sheet_add(&table, "%s", raw ? raw_titles[i] : titles[i]);
    for (size_t i = 0; i < online->row_count; i++) {
        const struct st_online_row *row = &online->rows[i];
        add_cell(&table, online, row, &row->native, raw);
        for (size_t j = 0; j < online->engine_count; j++)
            add_cell(&table, online, row, &row->cells[j], raw);
    }
    return table;
}

/* ---- JSON ---- */

static void write_real(struct st_json *json, const char *key, bool known, double number) {
    st_json_key(json, key);
    if (known)
        st_json_real(json, number);
    else
        st_json_null(json);
}

static void write_cell(struct st_json *json, const struct st_online_cell *cell) {
    bool known = !cell->timed_out, watched = known && cell->engine, names = cell->names_blocks;
    st_json_object(json);
    st_json_string_field(json, "engine", cell->engine ? cell->engine->name : "native");
    st_json_bool_field(json, "timeout", cell->timed_out);
    st_json_number_field(json, "runs", cell->runs);
    write_real(json, "cpu_seconds", known, cell->seconds);
    write_real(json, "elapsed_seconds", known, cell->elapsed);
    write_real(json, "resident_bytes", known, cell->bytes);
    write_real(json, "engine_seconds", watched, cell->analysis);
    write_real(json, "peak_state_bytes", watched, cell->state);
    write_real(json, "events", watched, cell->events);
    write_real(json, "threads", watched, cell->threads);
    write_real(json, "not_serializable", watched && cell->answers, (double)cell->bad);
    write_real(json, "distinct", watched && names, cell->distinct);
    write_real(json, "dynamic", watched && names, cell->dynamic);
    st_json_object_end(json);
}

void online_json(const struct st_online *online, FILE *file) {
    struct st_json json;
    st_json_start(&json, file);
    st_json_object(&json);
    st_json_string_field(&json, "schema", ONLINE_SCHEMA);
    st_json_key(&json, "programs");
    st_json_array(&json);
    for (size_t i = 0; i < online->row_count; i++) {
        st_json_object(&json);
        st_json_string_field(&json, "program", online->rows[i].name);
        st_json_key(&json, "runs");
        st_json_array(&json);
        write_cell(&json, &online->rows[i].native);
        for (size_t j = 0; j < online->engine_count; j++)
            write_cell(&json, &online->rows[i].cells[j]);
        st_json_array_end(&json);
        st_json_object_end(&json);
    }
    st_json_array_end(&json);
    st_json_object_end(&json);
    st_json_finish(&json);
}
