/* Models of a run with fewer improvements, and what each of them gains: the paper's Table 3 for a
 * trace (TSE 2006, 8.3).
 *
 *   none           only locks count: all threads are concurrent all the time, and so is all that
 *                  they do with memory that only they know of
 *   escape         accesses count from the first access of a second thread on, and if a recording
 *                  does not mark them as made to fresh memory
 *   happen-before  and only in thread periods that are concurrent
 *   seriatim       ours, the default of blocks: all accesses in periods that are concurrent, with
 * no guess about when a variable escaped
 *
 * The paper sees when an object escapes from its creator; a trace has only the first access of a
 * second thread. So `escape` and `happen-before` depend on the observed schedule, and can miss
 * violations. */
#include "predict/blocks/improvements.h"

#include "base/map64.h"
#include "base/memory.h"
#include "predict/model/block_verdicts.h"

#include <stdlib.h>
#include <time.h>

/* ---- models ---- */

/* For each event: is it an access before the first one of a second thread? */
static bool *find_unescaped(const struct st_run *run) {
    bool *unescaped = st_alloc(run->event_count + 1, sizeof *unescaped);
    uint32_t *owner = NULL; /* by variable: the first thread plus 1, or UINT32_MAX if several */
    size_t capacity = 0;
    for (size_t i = 0; i < run->event_count; i++) {
        const struct st_event *event = &run->events[i];
        if (event->op > ST_WRITE)
            continue;
        st_reserve(&owner, &capacity, (size_t)event->target + 1);
        uint32_t *first = &owner[event->target];
        if (!*first)
            *first = event->thread + 1;
        else if (*first != event->thread + 1)
            *first = UINT32_MAX;
        unescaped[i] = *first != UINT32_MAX;
    }
    free(owner);
    return unescaped;
}

static void feed_all(struct st_model *model, const struct st_run *run,
                     const struct st_blocks_view *view, const bool *unescaped) {
    for (size_t i = 0; i < run->event_count; i++) {
        struct st_event event = run->events[i];
        event.fresh &= !view->no_fresh_memory;
        if (unescaped && unescaped[i])
            event.op = ST_UNMARKED;
        st_model_feed(model, &event, 1, run->numbers ? run->numbers[i] : i + 1);
    }
}

struct st_model *st_blocks_model(const struct st_run *run, const struct st_blocks_view *view) {
    struct st_model_options options = run->model->options;
    options.observers.count = 0;
    options.keep_sequence = false;
    if (view->no_order)
        options.order = ST_MODEL_NOTHING;
    struct st_model *model = st_model_new(&options);
    bool *unescaped = view->once_escaped ? find_unescaped(run) : NULL;
    while (st_model_wants_pass(model)) {
        feed_all(model, run, view, unescaped);
        st_model_end_pass(model);
    }
    free(unescaped);
    return model;
}

/* ---- the table ---- */

static const struct {
    const char *name;
    struct st_blocks_view view;
    bool own; /* the model of the run */
} rows[] = {
    {"none", {.no_order = true, .no_fresh_memory = true}, false},
    {"escape", {.no_order = true, .once_escaped = true}, false},
    {"happen-before", {.once_escaped = true}, false},
    {"seriatim", {.once_escaped = false}, true},
};
enum { ROWS = sizeof rows / sizeof *rows };

static const struct st_table_column columns[] = {
    {"with", "name", ST_TABLE_TEXT},
    {NULL, "may_miss", ST_TABLE_FLAG},
    {"reported blocks", "reported_blocks", ST_TABLE_NUMBER},
    {"reported names", "reported_names", ST_TABLE_NUMBER},
    {"variables", "cut_variables", ST_TABLE_NUMBER},
    {"pairs of variables", "cut_pairs", ST_TABLE_NUMBER},
    {"pairs of accesses", "storage", ST_TABLE_NUMBER},
    {"time", "seconds", ST_TABLE_SECONDS},
};

static double thread_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static uint64_t count_set(const bool *set, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += set[i];
    return sum;
}

/* Of what is reported for two variables, each pair once. */
static uint64_t count_pairs(const struct st_blocks_run *run) {
    struct st_set64 pairs = {0};
    uint64_t count = 0;
    for (size_t i = 0; i < run->model->unit_count; i++) {
        const uint32_t *variables = run->findings[i].variables;
        if (run->verdicts[i] != ST_BLOCK_POTENTIAL || variables[1] == ST_BLOCKS_NO_VARIABLE)
            continue;
        uint64_t low = variables[variables[0] > variables[1]];
        uint64_t high = variables[variables[0] <= variables[1]];
        count += st_set64_add(&pairs, low << 32 | high);
    }
    st_set64_free(&pairs);
    return count;
}

static void add_results(const struct st_blocks_run *run, const bool *cut, struct st_table *table) {
    const struct st_model *model = run->model;
    bool *reported = st_alloc(model->unit_count + 1, sizeof *reported);
    uint64_t blocks, names;
    for (size_t i = 0; i < model->unit_count; i++)
        reported[i] = model->units[i].transaction && run->verdicts[i] == ST_BLOCK_POTENTIAL;
    st_count_reported(model, reported, &blocks, &names);
    st_table_number(table, blocks);
    st_table_number(table, names);
    st_table_number(table, count_set(cut, model->variable_count));
    st_table_number(table, count_pairs(run));
    st_table_number(table, run->storage);
    table->found = blocks > 0; /* of the last row, which is ours */
    free(reported);
}

static void add_row(const struct st_run *observed, const struct st_predict_options *options,
                    size_t row, struct st_table *table) {
    double start = thread_seconds();
    struct st_model *made = rows[row].own ? NULL : st_blocks_model(observed, &rows[row].view);
    const struct st_model *model = made ? made : observed->model;
    struct st_blocks_run run;
    struct st_1v_pairs pairs;
    bool *cut = st_alloc(model->variable_count + 1, sizeof *cut);
    struct st_predict_options alone = *options;
    alone.jobs = 1; /* so that the time is that of this thread */
    st_blocks_start(&run, model, &alone);
    run.cut_variables = cut;
    st_1v_make(&run, &pairs);
    st_1v_check(&run, &pairs, ST_PATTERN_ALL);
    st_1v_free(&pairs);
    if (!model->options.data)
        st_loose_check(&run);
    st_2v_check(&run);
    st_table_text(table, rows[row].name);
    st_table_flag(table, rows[row].view.once_escaped);
    add_results(&run, cut, table);
    st_blocks_stop(&run);
    st_model_free(made);
    free(cut);
    st_table_real(table, thread_seconds() - start);
}

void st_blocks_fill_table(const struct st_run *run, const struct st_predict_options *options,
                          struct st_table *table) {
    st_table_init(table, columns, sizeof columns / sizeof *columns);
    table->schema = "seriatim-block-improvements/1";
    table->heading = "what each improvement of blocks is worth (cumulative)";
    table->notes =
        "The first three rows are Table 3 of Wang and Stoller (2006). \"escape\" counts accesses\n"
        "from the first one of a second thread on in this run, and so can miss violations.\n"
        "\"seriatim\" is --engine blocks as it is by default, which misses none of two "
        "transactions.\n"
        "Each block that is reported for two variables counts with one pair of them.\n";
    for (size_t row = 0; row < ROWS; row++)
        add_row(run, options, row, table);
}
