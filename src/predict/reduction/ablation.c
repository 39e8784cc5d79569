/* What each improvement of reduction gains: the paper's Table 2 for a trace (TSE 2006, 8.3).
 *
 * Each row adds an improvement to the row before it, and all have those of 5.5:
 *
 *   none           races by ownership [29], all threads concurrent all the time, Theorem 1
 *   escape         races by Eraser, from the first access of a second thread on
 *   happen-before  and only where thread periods are concurrent
 *   multilockset   races by Figure 3, from the first access of a second thread on
 *   AcqA*Rel       Theorem 2 instead of Theorem 1
 *   seriatim       ours, the default of reduction: races by Figure 3 over all accesses
 *                  that can be concurrent, with no guess about when a variable escaped
 *   pairwise       ours: the same by pairs
 *
 * The first five depend on the observed schedule, and can miss violations.
 *
 * The rows of the paper allow N? in the middle, as its implementation does (5.6), and AcqA*Rel only
 * for locks where that is sound (predict/reduction/movers.h). The first two rows consider variables
 * that are shared, the others those that are contended. So the table needs two models of the run:
 * `shared` was made with keep_shared, and `model` without. */
#include "base/memory.h"
#include "predict/model/block_verdicts.h"
#include "predict/reduction/reduction.h"

#include <stdlib.h>
#include <time.h>

#define SECOND_OWNER "after the second owner"
#define SECOND_THREAD "from the second thread on"
#define CONCURRENT "all that are concurrent"

static const struct {
    const char *name, *races, *counted;
    bool ordered, sections, by_pairs, by_multilockset;
    unsigned race_flags;
} columns[ST_ABLATION_ROWS] = {
    {"none", "ownership", SECOND_OWNER, .race_flags = ST_RACY_OWNERSHIP},
    {"escape", "Eraser", SECOND_THREAD, .race_flags = ST_RACY_ERASER},
    {"happen-before", "Eraser", SECOND_THREAD, .ordered = true,
     .race_flags = ST_RACY_ERASER_ORDERED},
    {"multilockset", "multilockset", SECOND_THREAD, .ordered = true,
     .race_flags = ST_RACY_MULTILOCKSET_ORDERED},
    {"AcqA*Rel", "multilockset", SECOND_THREAD, .ordered = true, .sections = true,
     .race_flags = ST_RACY_MULTILOCKSET_ORDERED},
    [ST_ABLATION_DEFAULT] = {"seriatim", "multilockset", CONCURRENT, .ordered = true,
                             .sections = true, .by_multilockset = true},
    {"pairwise", "pairs", CONCURRENT, .ordered = true, .sections = true, .by_pairs = true},
};

static double thread_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static uint64_t count_racy(const struct st_reducer *reducer) {
    const struct st_pair_races *races = &reducer->races;
    uint64_t count = 0;
    if (!reducer->setup.by_pairs) {
        for (uint32_t i = 0; i < reducer->model->variable_count; i++)
            count += st_reducer_is_racy(reducer, i);
        return count;
    }
    for (size_t i = 0, racy = 0; i < races->use_count; i++) {
        const struct st_race_use *use = &races->uses[i];
        if (i && use->variable != races->uses[i - 1].variable)
            racy = 0;
        if (!racy && st_pair_race(races, use->unit, use->token)) {
            racy = 1;
            count++;
        }
    }
    return count;
}

static void fill(const struct st_model *model, size_t column, struct st_ablation_row *row) {
    double start = thread_seconds();
    struct st_reduction_setup setup = {.rules = {.ordered = columns[column].ordered,
                                                 .sections = columns[column].sections,
                                                 .reentrant = true,
                                                 .thread_local_locks = true,
                                                 .protected_locks = true},
                                       .by_pairs = columns[column].by_pairs,
                                       .by_multilockset = columns[column].by_multilockset,
                                       .race_flags = columns[column].race_flags};
    struct st_reducer reducer;
    struct st_movers movers = {0};
    bool *reported = st_alloc(model->unit_count + 1, sizeof *reported);
    st_reducer_init(&reducer, model, &setup);
    for (uint32_t u = 0; u < model->unit_count; u++)
        if (model->units[u].transaction) {
            st_reducer_judge(&reducer, &movers, u);
            reported[u] = !movers.reducible;
        }
    *row = (struct st_ablation_row){.name = columns[column].name,
                                    .theorem = setup.rules.sections ? 2 : 1,
                                    .races = columns[column].races,
                                    .counted = columns[column].counted,
                                    .may_miss = setup.race_flags != 0,
                                    .racy_variables = count_racy(&reducer)};
    st_count_reported(model, reported, &row->reported_blocks, &row->reported_names);
    st_movers_free(&movers);
    st_reducer_free(&reducer);
    free(reported);
    row->seconds = thread_seconds() - start;
}

void st_ablation_find(const struct st_model *shared, const struct st_model *model,
                      struct st_ablation_row rows[ST_ABLATION_ROWS]) {
    for (size_t i = 0; i < ST_ABLATION_ROWS; i++)
        fill(columns[i].ordered ? model : shared, i, &rows[i]);
}

/* ---- the table ---- */

static const struct st_table_column table_columns[] = {
    {"with", "name", ST_TABLE_TEXT},
    {"theorem", "theorem", ST_TABLE_NUMBER},
    {"races by", "races", ST_TABLE_TEXT},
    {"accesses counted", "counted", ST_TABLE_TEXT},
    {NULL, "may_miss", ST_TABLE_FLAG},
    {"reported blocks", "reported_blocks", ST_TABLE_NUMBER},
    {"reported names", "reported_names", ST_TABLE_NUMBER},
    {"racy variables", "racy_variables", ST_TABLE_NUMBER},
    {"time", "seconds", ST_TABLE_SECONDS},
};

void st_ablation_fill(const struct st_run *run, const struct st_predict_options *options,
                      struct st_table *table) {
    struct st_ablation_row rows[ST_ABLATION_ROWS];
    (void)options;
    st_ablation_find(run->shared_model, run->model, rows);
    st_table_init(table, table_columns, sizeof table_columns / sizeof table_columns[0]);
    table->schema = "seriatim-ablation/1";
    table->heading = "what each improvement of reduction is worth (cumulative)";
    table->notes =
        "The first five rows are Table 2 of Wang and Stoller (2006). They count accesses in the\n"
        "order of this run, and so can miss violations. \"seriatim\" is --engine reduction as it "
        "is\n"
        "by default, \"pairwise\" the same with --races=pairwise; neither misses any.\n";
    table->found = rows[ST_ABLATION_DEFAULT].reported_blocks > 0;
    for (size_t i = 0; i < ST_ABLATION_ROWS; i++) {
        st_table_text(table, rows[i].name);
        st_table_number(table, rows[i].theorem);
        st_table_text(table, rows[i].races);
        st_table_text(table, rows[i].counted);
        st_table_flag(table, rows[i].may_miss);
        st_table_number(table, rows[i].reported_blocks);
        st_table_number(table, rows[i].reported_names);
        st_table_number(table, rows[i].racy_variables);
        st_table_real(table, rows[i].seconds);
    }
}
