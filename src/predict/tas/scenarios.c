/* Table I of the paper: what segments and the static check gain; and what shrinking segments gains,
 * for which the paper has no table. */

#include "predict/tas/segment.h"

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

static const struct st_table_column columns[] = {
    {"scenario", "scenario", ST_TABLE_TEXT},
    {NULL, "search", ST_TABLE_TEXT},
    {"blocks", "blocks", ST_TABLE_NUMBER},
    {"segment", "segment_size", ST_TABLE_REAL},
    {"static proofs", "static_proofs", ST_TABLE_NUMBER},
    {"no violation", "no_violation", ST_TABLE_NUMBER},
    {"violations", "violations", ST_TABLE_NUMBER},
    {"timeouts", "timeouts", ST_TABLE_NUMBER},
    {"interleavings", "interleavings", ST_TABLE_NUMBER},
    {"time", "seconds", ST_TABLE_SECONDS},
};

static struct st_tas_counts run_scenario(const struct scenario *scenario,
                                         const struct st_tas_graph *graph,
                                         const struct st_predict_options *options) {
    struct st_tas_setup setup = {.search = scenario->search,
                                 .whole_trace = scenario->whole_trace,
                                 .static_check = scenario->static_check,
                                 .max_switches = scenario->max_switches,
                                 .timeout = options->timeout,
                                 .total = options->total,
                                 .jobs = options->jobs,
                                 .limit = 1};
    struct st_prediction prediction;
    struct st_tas_counts counts;
    st_prediction_init(&prediction);
    st_tas_run(graph, &setup, &prediction, &counts);
    st_prediction_free(&prediction);
    return counts;
}

static double percent(double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0;
}

static void add_row(const struct scenario *scenario, const struct st_tas_counts *counts,
                    size_t events, struct st_table *table) {
    st_table_text(table, scenario->name);
    st_table_text(table, st_tas_search_name(scenario->search));
    st_table_number(table, counts->blocks);
    st_table_real(table, counts->segment_size);
    st_table_show(table, "%.1f (%.1f%%)", counts->segment_size,
                  percent(counts->segment_size, (double)events));
    st_table_number(table, counts->static_proofs);
    if (scenario->static_check)
        st_table_show(table, "%llu (%.1f%%)", (unsigned long long)counts->static_proofs,
                      percent((double)counts->static_proofs, (double)counts->blocks));
    else
        st_table_show(table, "-");
    st_table_number(table, counts->clean);
    st_table_number(table, counts->violations);
    st_table_number(table, counts->timeouts);
    st_table_number(table, counts->interleavings);
    st_table_real(table, counts->seconds);
}

void st_tas_fill_table(const struct st_run *run, const struct st_predict_options *options,
                       struct st_table *table) {
    struct st_tas_graph *graph =
        st_tas_graph_of(run->events, run->numbers, run->values, run->event_count);
    st_table_init(table, columns, sizeof columns / sizeof columns[0]);
    table->schema = "seriatim-segments/1";
    table->notes =
        "The last row is our search; the others are the scenarios of the paper, by dpor. A\n"
        "search with a bound on switches (CSmax=5) proves nothing, so that there, as in the\n"
        "paper, only static proofs count as \"no violation\", and other blocks in which none\n"
        "was found are in no column.\n";
    for (size_t i = 0; i < SCENARIOS; i++) {
        struct st_tas_counts counts = run_scenario(&scenarios[i], graph, options);
        table->found |= counts.violations > 0;
        table->undecided = counts.timeouts > 0; /* of our search, which is the last */
        add_row(&scenarios[i], &counts, run->event_count, table);
    }
    st_tas_graph_free(graph);
}

/* ---- shrinking ---- */

static const struct rule {
    const char *name;
    enum st_tas_shrinking shrinking;
} rules[] = {{"no", ST_TAS_SHRINK_NO},
             {"conflicts", ST_TAS_SHRINK_CONFLICTS},
             {"paths", ST_TAS_SHRINK_PATHS}};
enum { RULES = sizeof rules / sizeof rules[0] };

static const struct st_table_column rule_columns[] = {
    {"shrink", "shrink", ST_TABLE_TEXT},
    {"blocks", "blocks", ST_TABLE_NUMBER},
    {"segment", "segment_size", ST_TABLE_REAL},
    {"static proofs", "static_proofs", ST_TABLE_NUMBER},
    {"left to search", "left_blocks", ST_TABLE_NUMBER},
    {"their segment", "left_segment_size", ST_TABLE_REAL},
    {"their accesses", "left_accesses", ST_TABLE_REAL},
};

/* Of all blocks of a trace, by one rule. */
struct shrunk {
    uint64_t found, events;                    /* segments before, and their events */
    uint64_t left, left_events, left_accesses; /* those that the check does not settle */
};

static struct shrunk shrink_all(const struct st_tas_graph *graph, enum st_tas_shrinking rule) {
    struct shrunk sum = {0};
    struct tas_segment segment;
    tas_segment_init(&segment, graph);
    for (size_t b = 0; b < graph->block_count; b++) {
        if (!tas_segment_find(&segment, graph, &graph->blocks[b]))
            continue;
        sum.found++;
        sum.events += tas_segment_size(&segment, graph);
        if (tas_segment_static_check(&segment, graph, rule))
            continue;
        sum.left++;
        sum.left_events += tas_segment_size(&segment, graph);
        sum.left_accesses += segment.access_count;
    }
    tas_segment_free(&segment);
    return sum;
}

static double mean(uint64_t sum, uint64_t count) {
    return count ? (double)sum / (double)count : 0;
}

void st_tas_fill_shrinking(const struct st_run *run, const struct st_predict_options *options,
                           struct st_table *table) {
    (void)options;
    struct st_tas_graph *graph =
        st_tas_graph_of(run->events, run->numbers, run->values, run->event_count);
    st_table_init(table, rule_columns, sizeof rule_columns / sizeof rule_columns[0]);
    table->schema = "seriatim-segment-shrinking/1";
    table->notes =
        "\"no\" is the static check of the paper, which ignores locks. Sizes are means, of\n"
        "segments in events; blocks with fewer than two shared accesses have none.\n";
    for (size_t i = 0; i < RULES; i++) {
        struct shrunk sum = shrink_all(graph, rules[i].shrinking);
        st_table_text(table, rules[i].name);
        st_table_number(table, graph->block_count);
        st_table_real(table, mean(sum.events, sum.found));
        st_table_number(table, graph->block_count - sum.left);
        st_table_number(table, sum.left);
        st_table_real(table, mean(sum.left_events, sum.left));
        st_table_real(table, mean(sum.left_accesses, sum.left));
    }
    st_tas_graph_free(graph);
}
