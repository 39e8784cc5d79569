#include "cli/compare/forecast_tables.h"

#include "base/json.h"
#include "report/sheet/chart.h"
#include "report/text/text_parts.h"

#include <inttypes.h>
#include <string.h>

#define FORECAST_SCHEMA "seriatim-compare-forecasts/1"

/* ---- the shape of a trace ---- */

static const struct {
    const char *head, *key;
    size_t offset;
} shape_columns[] = {
    {"threads", "threads", offsetof(struct st_trace_shape, threads)},
    {"events", "events", offsetof(struct st_trace_shape, events)},
    {"lock events", "lock_events", offsetof(struct st_trace_shape, lock_events)},
    {"locks", "locks", offsetof(struct st_trace_shape, locks)},
    {"accesses", "accesses", offsetof(struct st_trace_shape, accesses)},
    {"variables", "variables", offsetof(struct st_trace_shape, variables)},
    {"wait/notify events", "channel_events", offsetof(struct st_trace_shape, channel_events)},
    {"blocks", "blocks", offsetof(struct st_trace_shape, blocks)},
};
enum { SHAPES = sizeof shape_columns / sizeof *shape_columns };

static uint64_t shape_number(const struct st_trace_shape *shape, size_t column) {
    return *(const uint64_t *)((const char *)shape + shape_columns[column].offset);
}

static void add_shape_titles(struct st_sheet *sheet, bool raw) {
    st_sheet_add(sheet, "trace");
    for (size_t i = 0; i < SHAPES; i++)
        st_sheet_add(sheet, "%s", raw ? shape_columns[i].key : shape_columns[i].head);
}

static void add_shape(struct st_sheet *sheet, const struct st_forecast_row *row) {
    st_sheet_add(sheet, "%s", row->name);
    for (size_t i = 0; i < SHAPES; i++)
        st_sheet_add(sheet, "%" PRIu64, shape_number(&row->shape, i));
}

/* ---- predictors side by side ---- */

static void add_seconds(struct st_sheet *sheet, double seconds, bool raw) {
    char text[24];
    st_scale_time(text, sizeof text, seconds);
    if (raw)
        st_sheet_add(sheet, "%.6f", seconds);
    else
        st_sheet_add(sheet, "%s", text);
}

static void add_storage(struct st_sheet *sheet, const struct st_forecast_cell *cell) {
    if (cell->unit)
        st_sheet_add(sheet, "%" PRIu64, cell->storage);
    else
        st_sheet_add(sheet, "-");
}

static void add_cell(struct st_sheet *sheet, const struct st_forecast_cell *cell, bool raw) {
    add_seconds(sheet, cell->seconds, raw);
    st_sheet_add(sheet, "%" PRIu64, cell->names);
    st_sheet_add(sheet, "%" PRIu64, cell->blocks);
    st_sheet_add(sheet, "%" PRIu64, cell->undecided);
    add_storage(sheet, cell);
}

static struct st_sheet lay_out_predictors(const struct st_forecast *forecast, bool raw) {
    static const char *const titles[] = {"time", "names", "blocks", "undecided", "storage"};
    enum { TITLES = sizeof titles / sizeof *titles };
    struct st_sheet sheet = {.columns = 1 + SHAPES + TITLES * forecast->count};
    add_shape_titles(&sheet, raw);
    for (size_t j = 0; j < forecast->count; j++)
        for (size_t k = 0; k < TITLES; k++)
            st_sheet_add(&sheet, "%s %s", forecast->forecasters[j].name, titles[k]);
    for (size_t i = 0; i < forecast->row_count; i++) {
        add_shape(&sheet, &forecast->rows[i]);
        for (size_t j = 0; j < forecast->count; j++)
            add_cell(&sheet, &forecast->rows[i].cells[j], raw);
    }
    return sheet;
}

/* ---- a table of a predictor ---- */

/* The shape of the trace comes first, and has some numbers that a table has, too. */
static bool is_shown(const struct st_table_column *column, bool raw) {
    for (size_t i = 0; i < SHAPES; i++)
        if (strcmp(shape_columns[i].key, column->key) == 0)
            return false;
    return raw || column->head;
}

static void add_value(struct st_sheet *sheet, const struct st_table_cell *cell,
                      enum st_table_kind kind, bool raw) {
    if (cell->shown && !raw)
        st_sheet_add(sheet, "%s", cell->shown);
    else if (kind == ST_TABLE_TEXT)
        st_sheet_add(sheet, "%s", cell->value.text);
    else if (kind == ST_TABLE_NUMBER)
        st_sheet_add(sheet, "%" PRIu64, cell->value.number);
    else if (kind == ST_TABLE_SECONDS)
        add_seconds(sheet, cell->value.real, raw);
    else if (kind == ST_TABLE_REAL)
        st_sheet_add(sheet, "%.4g", cell->value.real);
    else
        st_sheet_add(sheet, "%s", cell->value.flag ? "yes" : "no");
}

static void add_table_row(struct st_sheet *sheet, const struct st_forecast_row *row, size_t first,
                          bool raw) {
    const struct st_table *table = &row->table;
    add_shape(sheet, row);
    for (size_t k = 0; k < table->column_count; k++)
        if (is_shown(&table->columns[k], raw))
            add_value(sheet, &table->cells[first + k], table->columns[k].kind, raw);
}

static struct st_sheet lay_out_table(const struct st_forecast *forecast, bool raw) {
    const struct st_table *first = &forecast->rows[0].table;
    struct st_sheet sheet = {.columns = 1 + SHAPES};
    add_shape_titles(&sheet, raw);
    for (size_t k = 0; k < first->column_count; k++)
        if (is_shown(&first->columns[k], raw)) {
            st_sheet_add(&sheet, "%s", raw ? first->columns[k].key : first->columns[k].head);
            sheet.columns++;
        }
    for (size_t i = 0; i < forecast->row_count; i++)
        for (size_t at = 0; at < forecast->rows[i].table.cell_count; at += first->column_count)
            add_table_row(&sheet, &forecast->rows[i], at, raw);
    return sheet;
}

struct st_sheet forecast_table(const struct st_forecast *forecast, bool raw) {
    return forecast->table && forecast->row_count ? lay_out_table(forecast, raw)
                                                  : lay_out_predictors(forecast, raw);
}

/* ---- figures ---- */

const char *const forecast_figure_words[] = {[FIGURE_SIZES] = "segment-sizes",
                                             [FIGURE_OUTCOMES] = "segment-outcomes",
                                             [FIGURE_COSTS] = "segment-costs",
                                             [FIGURE_COUNT] = NULL};

/* What a scenario of the table says in a column. */
static double number_of(const struct st_table *table, const char *scenario, const char *key) {
    for (size_t at = 0; at < table->cell_count; at += table->column_count)
        for (size_t k = 0; k < table->column_count; k++) {
            const struct st_table_cell *cell = &table->cells[at + k];
            if (strcmp(table->cells[at].value.text, scenario) != 0 ||
                strcmp(table->columns[k].key, key) != 0)
                continue;
            return table->columns[k].kind == ST_TABLE_NUMBER ? (double)cell->value.number
                                                             : cell->value.real;
        }
    return 0;
}

#define WHOLE "no TAS"
#define SEGMENT "TAS, SP, CSmax=inf"

/* Below 0: not known. */
static double percent(double part, double whole) {
    return whole > 0 ? 100 * part / whole : part > 0 ? -1 : 0;
}

static void add_outcomes(struct st_chart *chart, const char *label, const struct st_table *table,
                         const char *scenario) {
    double all = number_of(table, scenario, "blocks");
    double proofs = number_of(table, scenario, "static_proofs");
    st_chart_add(chart, label,
                 (double[]){percent(proofs, all),
                            percent(number_of(table, scenario, "no_violation") - proofs, all),
                            percent(number_of(table, scenario, "violations"), all),
                            percent(number_of(table, scenario, "timeouts"), all)});
}

static void add_figure_row(struct st_chart *chart, const struct st_forecast_row *row,
                           enum forecast_figure figure) {
    const struct st_table *table = &row->table;
    char label[128];
    snprintf(label, sizeof label, "%.100s (%" PRIu64 ")", row->name, row->shape.events);
    if (figure == FIGURE_SIZES) {
        double size = number_of(table, SEGMENT, "segment_size");
        st_chart_add(chart, label, (double[]){percent(size, (double)row->shape.events)});
    } else if (figure == FIGURE_COSTS) {
        st_chart_add(chart, label,
                     (double[]){percent(number_of(table, SEGMENT, "seconds"),
                                        number_of(table, WHOLE, "seconds")),
                                percent(number_of(table, SEGMENT, "interleavings"),
                                        number_of(table, WHOLE, "interleavings"))});
    } else {
        snprintf(label, sizeof label, "%.100s, " WHOLE, row->name);
        add_outcomes(chart, label, table, WHOLE);
        snprintf(label, sizeof label, "%.100s, TAS", row->name);
        add_outcomes(chart, label, table, SEGMENT);
    }
}

static struct st_chart draw(const struct st_forecast *forecast, enum forecast_figure figure) {
    static const char *const sizes[] = {"segment"}, *const costs[] = {"time", "interleavings"},
                             *const outcomes[] = {"static proof", "no violation", "violation",
                                                  "timeout"};
    static const struct st_chart charts[] = {
        [FIGURE_SIZES] = {.title = "Size of segments, in percent of the events of the trace",
                          .series = sizes,
                          .series_count = 1},
        [FIGURE_OUTCOMES] = {.title = "What became of blocks, in percent",
                             .series = outcomes,
                             .series_count = 4,
                             .stacked = true},
        [FIGURE_COSTS] = {.title = "Search in segments, in percent of that in the whole trace",
                          .series = costs,
                          .series_count = 2}};
    struct st_chart chart = charts[figure];
    chart.unit = "%";
    for (size_t i = 0; i < forecast->row_count; i++)
        add_figure_row(&chart, &forecast->rows[i], figure);
    return chart;
}

struct st_sheet forecast_figure_table(const struct st_forecast *forecast,
                                      enum forecast_figure figure) {
    struct st_chart chart = draw(forecast, figure);
    struct st_sheet sheet = {.columns = 1 + chart.series_count};
    st_sheet_add(&sheet, "trace");
    for (size_t i = 0; i < chart.series_count; i++)
        st_sheet_add(&sheet, "%s %%", chart.series[i]);
    for (size_t i = 0; i < chart.count; i++) {
        st_sheet_add(&sheet, "%s", chart.labels[i]);
        for (size_t k = 0; k < chart.series_count; k++) {
            double value = chart.values[i * chart.series_count + k];
            if (value < 0)
                st_sheet_add(&sheet, "-");
            else
                st_sheet_add(&sheet, "%.2f", value);
        }
    }
    st_chart_free(&chart);
    return sheet;
}

void forecast_figure_svg(const struct st_forecast *forecast, enum forecast_figure figure,
                         FILE *file) {
    struct st_chart chart = draw(forecast, figure);
    st_chart_write(&chart, file);
    st_chart_free(&chart);
}

/* ---- JSON ---- */

static void write_value(struct st_json *json, const struct st_table_cell *cell,
                        enum st_table_kind kind) {
    if (kind == ST_TABLE_TEXT)
        st_json_string(json, cell->value.text);
    else if (kind == ST_TABLE_NUMBER)
        st_json_number(json, cell->value.number);
    else if (kind == ST_TABLE_FLAG)
        st_json_bool(json, cell->value.flag);
    else
        st_json_real(json, cell->value.real);
}

static void write_table_rows(struct st_json *json, const struct st_table *table) {
    for (size_t at = 0; at < table->cell_count; at += table->column_count) {
        st_json_flat_object(json);
        for (size_t k = 0; k < table->column_count; k++) {
            st_json_key(json, table->columns[k].key);
            write_value(json, &table->cells[at + k], table->columns[k].kind);
        }
        st_json_object_end(json);
    }
}

static void write_cells(struct st_json *json, const struct st_forecast *forecast,
                        const struct st_forecast_cell *cells) {
    for (size_t j = 0; j < forecast->count; j++) {
        st_json_flat_object(json);
        st_json_string_field(json, "engine", forecast->forecasters[j].name);
        st_json_number_field(json, "names", cells[j].names);
        st_json_number_field(json, "blocks", cells[j].blocks);
        st_json_number_field(json, "proven", cells[j].proven);
        st_json_number_field(json, "undecided", cells[j].undecided);
        st_json_key(json, "time_seconds");
        st_json_real(json, cells[j].seconds);
        st_json_number_field(json, "storage", cells[j].storage);
        st_json_maybe_string_field(json, "storage_unit", cells[j].unit);
        st_json_object_end(json);
    }
}

static void write_row(struct st_json *json, const struct st_forecast *forecast,
                      const struct st_forecast_row *row) {
    st_json_object(json);
    st_json_string_field(json, "trace", row->name);
    for (size_t i = 0; i < SHAPES; i++)
        st_json_number_field(json, shape_columns[i].key, shape_number(&row->shape, i));
    st_json_key(json, forecast->table ? "rows" : "engines");
    st_json_array(json);
    if (forecast->table)
        write_table_rows(json, &row->table);
    else
        write_cells(json, forecast, row->cells);
    st_json_array_end(json);
    st_json_object_end(json);
}

void forecast_json(const struct st_forecast *forecast, FILE *file) {
    struct st_json json;
    st_json_start(&json, file);
    st_json_object(&json);
    st_json_string_field(&json, "schema", FORECAST_SCHEMA);
    st_json_string_field(&json, "table", forecast->table ? forecast->table->name : "predictions");
    st_json_key(&json, "traces");
    st_json_array(&json);
    for (size_t i = 0; i < forecast->row_count; i++)
        write_row(&json, forecast, &forecast->rows[i]);
    st_json_array_end(&json);
    st_json_object_end(&json);
    st_json_finish(&json);
}
