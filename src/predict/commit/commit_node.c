/* Commit nodes (Wang and Stoller, PPoPP 2006): is every schedule of the run serializable?
 *
 * A node of a unit's access tree at which it meets other units is a communication node; one that
 * contains no other is a commit node. If a transaction has only one commit node, everything it does
 * can be moved there without any effect on others, so it is atomic (Theorems 4.1 and 4.4). If it
 * has several, it may still be that no other unit ever notices (Theorems 4.3 and 4.6).
 *
 * What needed an interpretation, or differs here:
 *
 * - The paper defines a commit node in two ways. We take an *innermost* communication node; the
 *   other definition, "not contained in any other", misses violations. We ask whether there are two
 *   communication nodes of which neither contains the other. That is the same as two innermost
 *   ones.
 * - The paper knows nested critical sections only. Where they overlap, "outermost" has no meaning.
 * We choose one of the common locks, the same in both units (predict/commit/lock_ranks.h), and the
 * node is the section on it. Two nodes are apart if one is over before the other begins. Nothing is
 *   missed by that: let a schedule have a cycle of units, each of which has an access before one of
 *   the next, and hence its section before the section of the next on the same lock, or the access
 *   itself where they have no lock in common. If in each unit the node at which the cycle comes in
 *   began before the end of the one at which it goes out, then each node at which it comes in would
 *   begin later than the one before it, once around. So there is a unit in which it goes out at a
 *   node that is over before it comes in. For nested sections this is the same as before.
 * - Theorems 4.3 and 4.6 look for a cycle through two communication nodes in the forest. The forest
 *   has no edges for the order of a thread's units or for fork, join and barriers, so the theorems
 *   miss violations. We use a directed form. A transaction is reported if it has communication
 *   nodes n1 and, later and apart from it, n2, and some path leads from a unit that meets n1 to one
 *   that meets n2. The steps of the path are inter-edges, in both directions, and "must happen
 *   before", forwards. All units on it are concurrent with the transaction: if a cycle in the order
 *   of units goes through a unit before or after the transaction, there is a shorter one that
 *   leaves the transaction no later than it enters, so the transaction is not to blame.
 * - The recursion on S(e) in Figure 5 adds inter-edges inside one unit and between units that are
 *   not concurrent. We leave out both.
 * - Trimming keeps the last write of each variable (predict/model/unit_tokens.h), which
 *   view-atomicity needs.
 * - Of identical trees the paper keeps two. Here equal units of one period are stored once, and
 *   those of different periods are kept, since they can have different neighbours.
 * - Events outside transactions may synchronise: predict/commit/forest.h.
 *
 * With `as_published`: no order edges, any path that avoids the transaction, and Figure 5 as it
 * stands. `pairwise` looks at two units at a time (Theorems 4.2 and 4.5), which is exact for sets
 * of two transactions. */
#define _GNU_SOURCE
#include "predict/commit/commit_node.h"

#include "base/memory.h"
#include "predict/commit/components.h"
#include "predict/commit/path_search.h"
#include "predict/commit/piece_search.h"
#include "predict/model/block_verdicts.h"
#include "predict/dealt_pieces.h"
#include "predict/parallel.h"

#include <stdlib.h>

/* ---- all transactions ---- */

static int by_end(const void *left, const void *right, void *context) {
    const struct st_unit *units = context;
    uint64_t a = units[*(const uint32_t *)left].end, b = units[*(const uint32_t *)right].end;
    return (a > b) - (a < b);
}

static void sort_units(struct st_commit_analysis *analysis) {
    const struct st_model *model = analysis->model;
    analysis->chain_count = (uint32_t)model->periods->chain_count;
    analysis->of_chain = st_alloc((size_t)analysis->chain_count + 1, sizeof *analysis->of_chain);
    analysis->of_chain_count = st_alloc((size_t)analysis->chain_count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < model->unit_count; i++) {
        uint32_t chain = model->periods->items[model->units[i].first_period].chain;
        uint32_t **list = &analysis->of_chain[chain], *count = &analysis->of_chain_count[chain];
        if (!(*count & (*count - 1)))
            *list = st_realloc(*list, *count ? *count * 2 : 1, sizeof **list);
        (*list)[(*count)++] = i;
    }
    for (uint32_t i = 0; i < analysis->chain_count; i++)
        if (analysis->of_chain_count[i])
            qsort_r(analysis->of_chain[i], analysis->of_chain_count[i], sizeof(uint32_t), by_end,
                    model->units);
}

static void judge_by_pieces(struct st_commit_analysis *analysis, unsigned worker, uint32_t unit) {
    struct st_piece_path path;
    enum st_commit_look look = ST_COMMIT_OPEN;
    bool late = st_total_time_is_up(analysis->options->total);
    if (!late)
        look = st_piece_look(&analysis->piece_searches[worker], unit, false, &path);
    if (look == ST_COMMIT_VIOLATED)
        analysis->verdicts[unit] = ST_BLOCK_POTENTIAL;
    else if (look == ST_COMMIT_OPEN && (late || analysis->model->has_gaps))
        analysis->verdicts[unit] = ST_BLOCK_TIMEOUT;
}

static void judge(void *context, unsigned worker, size_t unit) {
    struct st_commit_analysis *analysis = context;
    double timeout = analysis->options->timeout;
    struct st_commit_violation violation;
    if (!analysis->model->units[unit].transaction)
        return;
    if (analysis->model->pieces) {
        judge_by_pieces(analysis, worker, (uint32_t)unit);
        return;
    }
    struct st_commit_search *search = &analysis->searches[worker];
    search->deadline = timeout > 0 ? st_commit_time() + timeout : 0;
    search->total = analysis->options->total;
    search->expired = st_total_time_is_up(search->total);
    if (!search->expired && st_commit_is_violated(search, (uint32_t)unit, &violation))
        analysis->verdicts[unit] = ST_BLOCK_POTENTIAL;
    else if (search->expired || analysis->model->has_gaps)
        analysis->verdicts[unit] = ST_BLOCK_TIMEOUT;
}

/* ---- first a look at each, then all that are open in a group together ---- */

static void look(void *context, unsigned worker, size_t unit) {
    struct st_commit_analysis *analysis = context;
    static const enum st_block_verdict verdicts[] = {[ST_COMMIT_ATOMIC] = ST_BLOCK_ATOMIC,
                                                     [ST_COMMIT_VIOLATED] = ST_BLOCK_POTENTIAL,
                                                     [ST_COMMIT_OPEN] = ST_BLOCK_TIMEOUT};
    struct st_commit_violation violation;
    if (!analysis->model->units[unit].transaction)
        return;
    if (st_total_time_is_up(analysis->options->total))
        analysis->verdicts[unit] = ST_BLOCK_TIMEOUT;
    else
        analysis->verdicts[unit] =
            verdicts[st_commit_look(&analysis->searches[worker], (uint32_t)unit, &violation)];
}

static int compare_groups(const struct st_unit *a, const struct st_unit *b) {
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->first_period != b->first_period)
        return a->first_period < b->first_period ? -1 : 1;
    return (a->last_period > b->last_period) - (a->last_period < b->last_period);
}

static int by_group(const void *left, const void *right, void *context) {
    const struct st_unit *units = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int order = compare_groups(&units[a], &units[b]);
    return order ? order : (a > b) - (a < b);
}

static void add_group(struct st_commit_analysis *analysis, size_t begin) {
    st_reserve(&analysis->groups, &analysis->group_capacity, analysis->group_count + 2);
    analysis->groups[analysis->group_count++] = begin;
}

static void group_open(struct st_commit_analysis *analysis) {
    const struct st_unit *units = analysis->model->units;
    for (uint32_t i = 0; i < analysis->model->unit_count; i++)
        if (analysis->verdicts[i] == ST_BLOCK_TIMEOUT) {
            st_reserve(&analysis->open, &analysis->open_capacity, analysis->open_count + 1);
            analysis->open[analysis->open_count++] = i;
        }
    if (!analysis->open_count)
        return;
    qsort_r(analysis->open, analysis->open_count, sizeof *analysis->open, by_group,
            analysis->model->units);
    for (size_t i = 0; i < analysis->open_count; i++)
        if (!i || compare_groups(&units[analysis->open[i - 1]], &units[analysis->open[i]]) != 0)
            add_group(analysis, i);
    analysis->groups[analysis->group_count] = analysis->open_count;
}

/* To find out what is connected takes about as long as one search does at worst. */
static bool pays_to_connect(const struct st_commit_analysis *analysis, size_t group) {
    enum { MANY = 16, SMALL_RUN = 4096 };
    return analysis->groups[group + 1] - analysis->groups[group] >= MANY ||
           analysis->model->unit_count < SMALL_RUN;
}

static void judge_open(struct st_commit_analysis *analysis, unsigned worker, uint32_t unit) {
    struct st_components *components = &analysis->components[worker];
    if (st_components_prove(components, unit))
        analysis->verdicts[unit] = ST_BLOCK_POTENTIAL;
    else if (!analysis->model->has_gaps && st_components_refute(components, unit))
        analysis->verdicts[unit] = ST_BLOCK_ATOMIC;
    else
        judge(analysis, worker, unit);
}

static void judge_group(void *context, unsigned worker, size_t group) {
    struct st_commit_analysis *analysis = context;
    bool connected = pays_to_connect(analysis, group);
    if (st_total_time_is_up(analysis->options->total))
        return; /* all of them count as undecided */
    if (connected)
        st_components_make(&analysis->components[worker], analysis,
                           analysis->open[analysis->groups[group]]);
    for (size_t i = analysis->groups[group]; i < analysis->groups[group + 1]; i++) {
        uint32_t unit = analysis->open[i];
        analysis->verdicts[unit] = ST_BLOCK_ATOMIC;
        if (connected)
            judge_open(analysis, worker, unit);
        else
            judge(analysis, worker, unit);
    }
}

static void judge_in_groups(struct st_commit_analysis *analysis, unsigned jobs) {
    st_parallel(jobs, analysis->model->unit_count, look, analysis);
    group_open(analysis);
    analysis->components = st_alloc(jobs, sizeof *analysis->components);
    st_parallel(jobs, analysis->group_count, judge_group, analysis);
    for (unsigned i = 0; i < jobs; i++)
        st_components_free(&analysis->components[i]);
    free(analysis->components);
    free(analysis->open);
    free(analysis->groups);
}

/* ---- with others ---- */

static void judge_and_pack(void *context, size_t unit, struct st_packed *to) {
    const struct st_commit_analysis *analysis = context;
    judge(context, 0, unit);
    st_pack_raw(to, &(char){(char)analysis->verdicts[unit]}, 1);
}

static void take_verdict(void *context, size_t unit, struct st_unpacking *from) {
    const struct st_commit_analysis *analysis = context;
    char verdict;
    st_unpack_raw(from, &verdict, 1);
    analysis->verdicts[unit] = (enum st_block_verdict)verdict;
}

static void skip_unit(void *context, size_t unit) {
    const struct st_commit_analysis *analysis = context;
    if (analysis->model->units[unit].transaction)
        analysis->verdicts[unit] = ST_BLOCK_TIMEOUT;
}

static void repeat_verdict(void *context, size_t unit, struct st_packed *to) {
    const struct st_commit_analysis *analysis = context;
    st_pack_raw(to, &(char){(char)analysis->verdicts[unit]}, 1);
}

static void judge_with_crew(struct st_commit_analysis *analysis, size_t events) {
    enum { UNITS = 256 }; /* most are judged at once */
    struct st_dealt_pieces pieces = {.count = analysis->model->unit_count,
                                     .batch = UNITS,
                                     .digest = analysis->model->unit_count * 31 + events,
                                     .total = analysis->options->total,
                                     .work = judge_and_pack,
                                     .take = take_verdict,
                                     .skip = skip_unit,
                                     .repeat = repeat_verdict,
                                     .context = analysis};
    const struct st_piece_dealer *dealer = analysis->options->dealer;
    dealer->deal(dealer->context, &pieces);
}

/* ---- the analysis ---- */

static const char *method(const struct st_predict_options *options, bool pairwise) {
    bool view = options->notion == ST_NOTION_VIEW;
    if (pairwise)
        return view ? "pairs, Theorem 4.5" : "pairs, Theorem 4.2";
    if (options->as_published)
        return view ? "Theorems 4.4 and 4.6 as published" : "Theorems 4.1 and 4.3 as published";
    return view ? "Theorems 4.4 and 4.6, directed" : "Theorems 4.1 and 4.3, directed";
}

static unsigned worker_count(const struct st_predict_options *options) {
    return options->jobs ? options->jobs : 1;
}

static void start_searches(struct st_commit_analysis *analysis, unsigned jobs) {
    const struct st_predict_options *options = analysis->options;
    analysis->forest = st_forest_new(analysis->model, options->notion, options->as_published, jobs);
    sort_units(analysis);
    analysis->searches = st_alloc(jobs, sizeof *analysis->searches);
    for (unsigned i = 0; i < jobs; i++)
        st_commit_search_start(&analysis->searches[i], analysis);
}

static void start_piece_searches(struct st_commit_analysis *analysis, unsigned jobs) {
    analysis->ranks = st_lock_ranks(analysis->model);
    analysis->piece_searches = st_alloc(jobs, sizeof *analysis->piece_searches);
    for (unsigned i = 0; i < jobs; i++)
        st_piece_search_start(&analysis->piece_searches[i], analysis->model, analysis->ranks);
}

void st_commit_judge(struct st_commit_analysis *analysis, const struct st_run *run,
                     const struct st_predict_options *options,
                     const struct st_commit_node_options *own) {
    const struct st_model *model = run->model;
    unsigned jobs = worker_count(options);
    *analysis =
        (struct st_commit_analysis){.model = model, .options = options, .pairwise = own->pairwise};
    analysis->verdicts = st_alloc(model->unit_count + 1, sizeof *analysis->verdicts);
    if (model->pieces)
        start_piece_searches(analysis, jobs);
    else
        start_searches(analysis, jobs);
    if (options->dealer)
        judge_with_crew(analysis, run->event_count);
    else if (own->pairwise || options->as_published || model->pieces)
        st_parallel(jobs, model->unit_count, judge, analysis);
    else
        judge_in_groups(analysis, jobs);
}

static void end_searches(struct st_commit_analysis *analysis) {
    for (unsigned i = 0; i < worker_count(analysis->options); i++)
        st_commit_search_end(&analysis->searches[i]);
    for (uint32_t i = 0; i < analysis->chain_count; i++)
        free(analysis->of_chain[i]);
    free(analysis->searches);
    free(analysis->of_chain);
    free(analysis->of_chain_count);
    st_forest_free(analysis->forest);
}

void st_commit_end(struct st_commit_analysis *analysis) {
    free(analysis->verdicts);
    if (!analysis->piece_searches) {
        end_searches(analysis);
        return;
    }
    for (unsigned i = 0; i < worker_count(analysis->options); i++)
        st_piece_search_end(&analysis->piece_searches[i]);
    free(analysis->piece_searches);
    free(analysis->ranks);
}

static uint64_t storage_of(const struct st_commit_analysis *analysis) {
    const struct st_forest *forest = analysis->forest;
    return forest ? forest->nodes + forest->edges : analysis->model->pieces->count;
}

static void run(const struct st_run *run, const struct st_predict_options *options,
                const void *own_options, struct st_prediction *prediction) {
    const struct st_commit_node_options *own = own_options;
    struct st_commit_analysis analysis;
    st_commit_judge(&analysis, run, options, own);
    prediction->method = method(options, own->pairwise);
    prediction->storage = storage_of(&analysis);
    prediction->storage_unit = analysis.forest ? "nodes and edges" : "pieces";
    if (own->pairwise)
        st_prediction_may_miss(prediction, "Two transactions at a time were looked at: a violation "
                                           "that takes three or more is not seen.");
    if (options->as_published)
        st_prediction_may_miss(prediction, "The theorems as published miss violations.");
    struct st_commit_explainer explainer = {.analysis = &analysis};
    st_report_units(run->model, analysis.verdicts, st_commit_explain, &explainer, options->limit,
                    prediction);
    st_commit_explainer_free(&explainer);
    st_commit_end(&analysis);
}

/* A model in pieces does not know what one other transaction does. */
static void prepare(const struct st_predict_options *options, const void *own_options,
                    struct st_run_needs *needs) {
    const struct st_commit_node_options *own = own_options;
    (void)options;
    if (own->pairwise)
        needs->model.may_be_sparse = false;
}

static const struct st_option option_rows[] = {
    {.name = "pairwise",
     .kind = ST_FLAG,
     .offset = offsetof(struct st_commit_node_options, pairwise),
     .help = "look at two transactions at a time (Theorems 4.2 and 4.5)"},
    {0},
};

const struct st_predictor st_commit_node = {
    .name = "commit-node",
    .summary = "access trees and commit nodes (Wang and Stoller, PPoPP 2006)",
    .reads_model = true,
    .ends_are_enough = true,
    .as_published = true,
    .options = option_rows,
    .own_size = sizeof(struct st_commit_node_options),
    .prepare = prepare,
    .run = run,
};
