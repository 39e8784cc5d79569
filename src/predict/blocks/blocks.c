/* Blocks: can accesses of other threads come between two accesses of a transaction, so that no
 * serial schedule is equivalent? (Wang and Stoller, Runtime Analysis of Atomicity for Multithreaded
 * Programs, TSE 2006, section 6.)
 *
 * Atomic means view-atomic: for every schedule of the run there is a serial schedule in which each
 * read sees the same write and each variable ends with the same write. There are three depths:
 *
 * - Theorem 3 looks at one variable at a time (one_variable.c).
 * - Theorem 4 looks at two transactions at a time (two_variables.c), for which it is exact.
 * - Theorem 5 looks at all of them at once (exact/exact.c). Its first condition is Theorem 3
 *   without the pattern of the final write between a read and a write: another write may come last
 *   and hide it, which its second condition detects. (as_published: with that pattern.)
 *
 * All of them assume that no schedule ends in a deadlock. */
#include "predict/blocks/blocks.h"
#include "predict/blocks/improvements.h"

#include "base/memory.h"
#include "predict/model/block_verdicts.h"

#include <stdlib.h>
#include <string.h>

/* The model is read-only, so sets that it does not have are stored separately. */
static void copy_locksets(struct st_locksets *to, const struct st_locksets *from) {
    st_locksets_init(to);
    for (uint32_t i = 0; i < from->sets.count; i++)
        st_lockset_of(to, st_lockset_locks(from, i), st_lockset_size(from, i));
}

void st_blocks_start(struct st_blocks_run *run, const struct st_model *model,
                     const struct st_predict_options *options) {
    *run = (struct st_blocks_run){.model = model, .options = options};
    copy_locksets(&run->locksets, &model->locksets);
    run->verdicts = st_alloc(model->unit_count + 1, sizeof *run->verdicts);
    run->findings = st_alloc(model->unit_count + 1, sizeof *run->findings);
    pthread_mutex_init(&run->lock, NULL);
    st_blocks_index_units(run);
}

void st_blocks_stop(struct st_blocks_run *run) {
    pthread_mutex_destroy(&run->lock);
    st_locksets_free(&run->locksets);
    free(run->units);
    free(run->first_unit);
    free(run->verdicts);
    free(run->findings);
}

void st_blocks_give_up(struct st_blocks_run *run) {
    for (size_t i = 0; i < run->model->unit_count; i++)
        if (run->model->units[i].transaction && run->verdicts[i] == ST_BLOCK_ATOMIC)
            run->verdicts[i] = ST_BLOCK_TIMEOUT;
}

/* ---- findings ---- */

static const char *sentence(const char *pattern) {
    if (strstr(pattern, "acq") || strstr(pattern, "rel"))
        return "the block uses a lock that is held past the end of a block or outside "
               "blocks, and accesses without it what another thread accesses with it";
    static const struct {
        const char *pattern, *text;
    } all[] = {
        {"W-R-W", "another thread can read between two writes, and see a value that was never "
                  "meant to be seen"},
        {"R-W-R", "a write by another thread can come between two reads that should see the same "
                  "value"},
        {"W-W-R", "a write by another thread can come between a write and the read that should see "
                  "it"},
        {"R-W-W", "a write by another thread can come between a read and a write, and be lost"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(pattern, all[i].pattern) == 0)
            return all[i].text;
    return "another transaction can run between two accesses of the block: it comes after the one "
           "and before the other, which no serial order explains";
}

static bool conflicts(const struct st_place *a, const struct st_place *b) {
    return a->event.target == b->event.target && a->event.op <= ST_WRITE &&
           b->event.op <= ST_WRITE && (a->event.op == ST_WRITE || b->event.op == ST_WRITE);
}

/* The path leaves the block to a conflicting event in between, and returns from an event that is
 * not before that one. If the other transaction conflicts with the last event first, there is no
 * such path: then it is the other transaction as a whole that comes after the one event and before
 * the other. */
static void add_path(struct st_predicted_block *block) {
    const struct st_place *events = block->events;
    size_t last = block->event_count - 1;
    for (size_t i = 1; i < last; i++)
        for (size_t k = i; k < last; k++) {
            if (!conflicts(&events[0], &events[i]) || !conflicts(&events[k], &events[last]))
                continue;
            block->path = st_alloc(2, sizeof *block->path);
            block->path_length = 2;
            block->path[0] = (struct st_edge){.from = events[0], .to = events[i]};
            block->path[1] = (struct st_edge){.from = events[k], .to = events[last]};
            return;
        }
}

static void explain_finding(const struct st_blocks_run *run, uint32_t unit,
                            struct st_predicted_block *block) {
    const struct st_pair_finding *finding = &run->findings[unit];
    bool two = finding->variables[1] != ST_BLOCKS_NO_VARIABLE;
    block->variable_count = two ? 2 : 1;
    block->variables = st_alloc(2, sizeof *block->variables);
    memcpy(block->variables, finding->variables, block->variable_count * sizeof *block->variables);
    block->events = st_alloc(4, sizeof *block->events);
    block->events[block->event_count++] = st_unit_place(run->model, unit, finding->tokens[0]);
    for (int i = 0; i < (two ? 2 : 1); i++)
        block->events[block->event_count++] =
            st_unit_place(run->model, finding->other, finding->others[i]);
    block->events[block->event_count++] = st_unit_place(run->model, unit, finding->tokens[1]);
    block->pattern = st_places_pattern(block->events, block->event_count);
    block->why = st_strdup(sentence(block->pattern));
    add_path(block);
}

struct explainer {
    const struct st_blocks_run *run;
    const struct st_blocks_exact *exact;
};

static void explain(void *context, uint32_t unit, struct st_predicted_block *block) {
    const struct explainer *explainer = context;
    if (explainer->run->verdicts[unit] == ST_BLOCK_VIOLATION)
        st_blocks_exact_explain(explainer->exact, unit, block);
    else
        explain_finding(explainer->run, unit, block);
}

/* ---- what is certain ---- */

/* Can a schedule of the model be impossible in the program? The model ignores what channels order
 * inside a unit, and ignores channels altogether where they impose no order here. */
static bool has_unknown_order(const struct st_model *model) {
    if (model->channel_events && model->options.order != ST_MODEL_ALL)
        return true;
    if (model->variable_count > model->first_signal)
        return true;
    for (size_t i = 0; i < model->unit_count; i++)
        if (model->units[i].first_period != model->units[i].last_period)
            return true;
    return false;
}

static bool found_violations(const struct st_blocks_run *run) {
    for (size_t i = 0; i < run->model->unit_count; i++)
        if (run->verdicts[i] == ST_BLOCK_VIOLATION)
            return true;
    return false;
}

/* The schedules found prove only as much as the model knows. */
static void limit_claims(const struct st_blocks_run *run, enum st_block_verdict *claims,
                         struct st_prediction *prediction) {
    size_t count = run->model->unit_count;
    bool unknown = has_unknown_order(run->model);
    memcpy(claims, run->verdicts, count * sizeof *claims);
    for (size_t i = 0; unknown && i < count; i++)
        if (claims[i] == ST_BLOCK_VIOLATION)
            claims[i] = ST_BLOCK_POTENTIAL;
    if (found_violations(run))
        st_prediction_caveat(prediction, "What reads see in an interleaving is not looked at: a "
                                         "thread that reads another value than in this run may "
                                         "do something else.");
}

/* ---- the analysis ---- */

/* Those that it has. */
enum { IMPROVEMENTS = ST_WITHOUT_ESCAPE | ST_WITHOUT_HAPPEN_BEFORE };

/* How far the analysis goes. */
enum depth { ONE_VARIABLE, TWO_VARIABLES, EXACT };

static enum depth depth_of(const struct st_blocks_options *own) {
    return own->exact ? EXACT : own->one_variable ? ONE_VARIABLE : TWO_VARIABLES;
}

static const char *method_of(enum depth depth) {
    return depth == ONE_VARIABLE    ? "1v-blocks: one variable at a time"
           : depth == TWO_VARIABLES ? "2v-blocks: two transactions at a time"
                                    : "all transactions at once";
}

static void prepare(const struct st_predict_options *options, const void *own,
                    struct st_run_needs *needs) {
    needs->model.keep_sequence |= depth_of(own) == EXACT;
    needs->events |= options->without || ((const struct st_blocks_options *)own)->improvements;
}

/* Without some improvement: a model of its own. */
static struct st_model *model_without(const struct st_run *run, unsigned without) {
    const struct st_blocks_view view = {.no_order = without & ST_WITHOUT_HAPPEN_BEFORE,
                                        .no_fresh_memory = without & ST_WITHOUT_ESCAPE};
    return without & IMPROVEMENTS ? st_blocks_model(run, &view) : NULL;
}

static void run_blocks(const struct st_run *observed, const struct st_predict_options *options,
                       const void *own, struct st_prediction *prediction) {
    struct st_model *made = model_without(observed, options->without);
    const struct st_model *model = made ? made : observed->model;
    enum depth depth = depth_of(own);
    struct st_blocks_run run;
    struct st_1v_pairs pairs;
    struct st_blocks_exact *exact = NULL;
    bool all_patterns = depth != EXACT || options->as_published;
    st_blocks_start(&run, model, options);
    st_1v_make(&run, &pairs);
    st_1v_check(&run, &pairs, all_patterns ? ST_PATTERN_ALL : ST_PATTERN_ALL & ~ST_PATTERN_RWW);
    st_1v_free(&pairs);
    if (depth != EXACT && !options->as_published && !model->options.data)
        st_loose_check(&run);
    if (depth == TWO_VARIABLES)
        st_2v_check(&run);
    else if (depth == EXACT)
        exact = st_blocks_explore(&run, prediction);
    if (depth == TWO_VARIABLES)
        st_prediction_may_miss(prediction,
                               "Transactions were looked at in pairs: what takes three or "
                               "more of them is not found.");
    if (depth == ONE_VARIABLE)
        st_prediction_may_miss(prediction,
                               "Only one variable at a time was looked at: what rests on "
                               "two or more is not found.");
    if (model->held_at_end)
        st_prediction_may_miss(prediction,
                               "Locks were held when the trace ended, and count as never given "
                               "back: schedules in which others have them later were left out.");
    if (options->as_published)
        st_prediction_may_miss(prediction, "Blocks as published can miss violations.");
    prediction->method = method_of(depth);
    prediction->storage = run.storage;
    prediction->storage_unit = "blocks";
    struct explainer explainer = {&run, exact};
    enum st_block_verdict *claims = st_alloc(model->unit_count + 1, sizeof *claims);
    limit_claims(&run, claims, prediction);
    st_report_units(model, claims, explain, &explainer, options->limit, prediction);
    free(claims);
    st_blocks_exact_free(exact);
    st_blocks_stop(&run);
    st_model_free(made);
}

static const struct st_option option_rows[] = {
    {.name = "one-variable",
     .kind = ST_FLAG,
     .offset = offsetof(struct st_blocks_options, one_variable),
     .help = "look at one variable at a time (Theorem 3)"},
    {.name = "exact",
     .kind = ST_FLAG,
     .offset = offsetof(struct st_blocks_options, exact),
     .help = "look at all transactions together (Theorem 5), which can take very long"},
    {.name = "improvements",
     .kind = ST_FLAG,
     .offset = offsetof(struct st_blocks_options, improvements),
     .help = "write a table of what each improvement is worth, instead of the report"},
    {0},
};

static const char *const option_conflicts[][2] = {{"exact", "one-variable"},
                                                  {"exact", "without"},
                                                  {"improvements", "exact"},
                                                  {"improvements", "without"},
                                                  {"improvements", "one-variable"},
                                                  {"improvements", "as-published"},
                                                  {NULL, NULL}};

static const struct st_predictor_table tables[] = {
    {"improvements", "block-improvements", st_blocks_fill_table}, {NULL, NULL, NULL}};

const struct st_predictor st_blocks = {
    .name = "blocks",
    .summary = "pairs of accesses that others can come between (TSE 2006)",
    .reads_model = true,
    .notion = "view",
    .as_published = true,
    .options = option_rows,
    .own_size = sizeof(struct st_blocks_options),
    .conflicts = option_conflicts,
    .improvements = IMPROVEMENTS,
    .prepare = prepare,
    .run = run_blocks,
    .tables = tables,
};
