#include "cli/predict_tables.h"

#include "base/json.h"
#include "report/text/columns.h"

#include <inttypes.h>

static void write_ablation_json(const char *trace, const struct st_ablation_row *rows, FILE *file) {
    struct st_json json;
    st_json_start(&json, file);
    st_json_object(&json);
    st_json_key(&json, "schema");
    st_json_string(&json, "seriatim-ablation/1");
    st_json_key(&json, "trace");
    st_json_string(&json, trace);
    st_json_key(&json, "rows");
    st_json_array(&json);
    for (size_t i = 0; i < ST_ABLATION_ROWS; i++) {
        st_json_flat_object(&json);
        st_json_key(&json, "name");
        st_json_string(&json, rows[i].name);
        st_json_key(&json, "theorem");
        st_json_number(&json, rows[i].theorem);
        st_json_key(&json, "races");
        st_json_string(&json, rows[i].races);
        st_json_key(&json, "counted");
        st_json_string(&json, rows[i].counted);
        st_json_key(&json, "may_miss");
        st_json_bool(&json, rows[i].may_miss);
        st_json_key(&json, "reported_blocks");
        st_json_number(&json, rows[i].reported_blocks);
        st_json_key(&json, "reported_names");
        st_json_number(&json, rows[i].reported_names);
        st_json_key(&json, "racy_variables");
        st_json_number(&json, rows[i].racy_variables);
        st_json_key(&json, "seconds");
        st_json_real(&json, rows[i].seconds);
        st_json_object_end(&json);
    }
    st_json_array_end(&json);
    st_json_object_end(&json);
    st_json_finish(&json);
}

static void write_ablation_text(const char *trace, const struct st_ablation_row *rows, FILE *file) {
    static const char *const heads[] = {
        "with",           "theorem",        "races by", "accesses counted", "reported blocks",
        "reported names", "racy variables", "time"};
    struct st_columns columns = {.count = 8, .right = 0xf2};
    fprintf(file, "%s: what each improvement of reduction is worth (cumulative)\n\n", trace);
    for (size_t i = 0; i < columns.count; i++)
        fputs(heads[i], st_columns_cell(&columns));
    for (size_t i = 0; i < ST_ABLATION_ROWS; i++) {
        fputs(rows[i].name, st_columns_cell(&columns));
        fprintf(st_columns_cell(&columns), "%u", rows[i].theorem);
        fputs(rows[i].races, st_columns_cell(&columns));
        fputs(rows[i].counted, st_columns_cell(&columns));
        fprintf(st_columns_cell(&columns), "%" PRIu64, rows[i].reported_blocks);
        fprintf(st_columns_cell(&columns), "%" PRIu64, rows[i].reported_names);
        fprintf(st_columns_cell(&columns), "%" PRIu64, rows[i].racy_variables);
        fprintf(st_columns_cell(&columns), "%.3f s", rows[i].seconds);
    }
    st_columns_print(&columns, "", file);
    fputs(
        "\nThe first five rows are Table 2 of Wang and Stoller (2006). They count accesses in the\n"
        "order of this run, and so can miss violations. \"seriatim\" is --engine reduction as it "
        "is\n"
        "by default, \"pairwise\" the same with --races=pairwise; neither misses any.\n",
        file);
}

enum status write_ablation(const char *trace, const struct st_ablation_row rows[ST_ABLATION_ROWS],
                           bool json, FILE *file) {
    if (json)
        write_ablation_json(trace, rows, file);
    else
        write_ablation_text(trace, rows, file);
    return rows[ST_ABLATION_DEFAULT].reported_blocks ? STATUS_FOUND : STATUS_CLEAN;
}

/* ---- segments ---- */

static const struct scenario {
    const char *name;
    enum st_tas_search search;
    bool whole_trace, static_check;
    uint64_t max_switches;
} scenarios[] = {
    {"no TAS", ST_TAS_DPOR, true, false, 0},
    {"TAS, no SP", ST_TAS_DPOR, false, false, 0},
    {"TAS, SP, CSmax=5", ST_TAS_DPOR, false, true, 5},
    {"TAS, SP, CSmax=inf", ST_TAS_DPOR, false, true, 0},
    {"chains", ST_TAS_CHAINS, false, true, 0},
};
enum { SCENARIOS = sizeof scenarios / sizeof scenarios[0] };

static struct st_tas_table run_scenario(const struct scenario *scenario,
                                        const struct st_tas_graph *graph,
                                        struct st_tas_setup setup) {
    struct st_prediction prediction;
    struct st_tas_table table;
    setup.search = scenario->search;
    setup.whole_trace = scenario->whole_trace;
    setup.static_check = scenario->static_check;
    setup.max_switches = scenario->max_switches;
    setup.limit = 1;
    st_prediction_init(&prediction);
    st_tas_run(graph, &setup, &prediction, &table);
    st_prediction_free(&prediction);
    return table;
}

static void write_scenario_json(const struct scenario *scenario, const struct st_tas_table *table,
                                struct st_json *json) {
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {{"blocks", table->blocks},      {"static_proofs", table->static_proofs},
                   {"no_violation", table->clean}, {"violations", table->violations},
                   {"timeouts", table->timeouts},  {"interleavings", table->interleavings}};
    st_json_flat_object(json);
    st_json_key(json, "scenario");
    st_json_string(json, scenario->name);
    st_json_key(json, "search");
    st_json_string(json, st_tas_search_name(scenario->search));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        st_json_key(json, numbers[i].key);
        st_json_number(json, numbers[i].value);
    }
    st_json_key(json, "segment_size");
    st_json_real(json, table->segment_size);
    st_json_key(json, "seconds");
    st_json_real(json, table->seconds);
    st_json_object_end(json);
}

static double percent(double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0;
}

static void add_scenario_row(const struct scenario *scenario, const struct st_tas_table *table,
                             uint64_t events, struct st_columns *columns) {
    fputs(scenario->name, st_columns_cell(columns));
    fprintf(st_columns_cell(columns), "%" PRIu64, table->blocks);
    fprintf(st_columns_cell(columns), "%.1f (%.1f%%)", table->segment_size,
            percent(table->segment_size, (double)events));
    FILE *proofs = st_columns_cell(columns);
    if (scenario->static_check)
        fprintf(proofs, "%" PRIu64 " (%.1f%%)", table->static_proofs,
                percent((double)table->static_proofs, (double)table->blocks));
    else
        fputs("-", proofs);
    const uint64_t numbers[] = {table->clean, table->violations, table->timeouts,
                                table->interleavings};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        fprintf(st_columns_cell(columns), "%" PRIu64, numbers[i]);
    fprintf(st_columns_cell(columns), "%.3f s", table->seconds);
}

static void start_scenarios_json(const char *trace, uint64_t events, struct st_json *json) {
    st_json_object(json);
    st_json_key(json, "schema");
    st_json_string(json, "seriatim-segments/1");
    st_json_key(json, "trace");
    st_json_string(json, trace);
    st_json_key(json, "events");
    st_json_number(json, events);
    st_json_key(json, "rows");
    st_json_array(json);
}

static void explain_scenarios(FILE *file) {
    fputs("\nThe last row is our search; the others are the scenarios of the paper, by dpor. A\n"
          "search with a bound on switches (CSmax=5) proves nothing, so that there, as in the\n"
          "paper, only static proofs count as \"no violation\", and other blocks in which none\n"
          "was found are in no column.\n",
          file);
}

enum status write_scenarios(const char *trace, uint64_t events, const struct st_tas_graph *graph,
                            const struct st_tas_setup *setup, bool json, FILE *file) {
    static const char *const heads[] = {"scenario",      "blocks",        "segment",
                                        "static proofs", "no violation",  "violations",
                                        "timeouts",      "interleavings", "time"};
    struct st_columns columns = {.count = 9, .right = 0x1fe};
    struct st_json out;
    uint64_t violations = 0, open = 0;
    if (json) {
        st_json_start(&out, file);
        start_scenarios_json(trace, events, &out);
    } else {
        fprintf(file, "%s: %" PRIu64 " event%s\n\n", trace, events, events == 1 ? "" : "s");
        for (size_t i = 0; i < columns.count; i++)
            fputs(heads[i], st_columns_cell(&columns));
    }
    for (size_t i = 0; i < SCENARIOS; i++) {
        struct st_tas_table table = run_scenario(&scenarios[i], graph, *setup);
        violations += table.violations;
        open = table.timeouts;
        if (json)
            write_scenario_json(&scenarios[i], &table, &out);
        else
            add_scenario_row(&scenarios[i], &table, events, &columns);
    }
    if (json) {
        st_json_array_end(&out);
        st_json_object_end(&out);
        st_json_finish(&out);
    } else {
        st_columns_print(&columns, "", file);
        explain_scenarios(file);
    }
    return violations ? STATUS_FOUND : open ? STATUS_TROUBLE : STATUS_CLEAN;
}
