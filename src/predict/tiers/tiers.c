/* One answer from two analyses. Commit nodes miss nothing, so what they call atomic is; what they
 * report is possible. Of that, the search for feasible schedules proves what it can.
 *
 * Why only that: a feasible schedule that cuts a block is an interleaving of a part of the events.
 * Unless some schedule ends in deadlock, the rest can follow, and the whole is an interleaving that
 * cuts the block; the commit nodes report it. Where this does not hold (deadlock, blocks that are
 * divided, or ordered partway through, --sync=all), the search looks at what they call atomic, too.
 */
#include "base/lower_bound.h"
#include "base/memory.h"
#include "predict/commit/commit_node.h"
#include "predict/model/block_verdicts.h"
#include "predict/tas/tas.h"

#include <stdlib.h>

struct tiers {
    struct st_commit_analysis possible;
    struct st_commit_explainer explainer;
    struct st_prediction proven;
    struct st_tas_suspect *suspects; /* in the order of their begins, each once */
    size_t suspect_count;
    bool has_parts;        /* some blocks are judged in parts */
    bool has_order_within; /* some that are called atomic are ordered partway through */
};

/* ---- whom to search for ---- */

/* The instance is one of several parts of a block, which fork, join and barriers divide. Commit
 * nodes judge each by itself, and a schedule that cuts the block may cut none of them. */
static bool is_part(const struct st_model *model, const uint32_t *order, size_t i) {
    uint64_t begin = model->instances[order[i]].begin;
    return (i && model->instances[order[i - 1]].begin == begin) ||
           (i + 1 < model->instance_count && model->instances[order[i + 1]].begin == begin);
}

/* Can the search see it at all? */
static bool is_within_events(const struct st_run *run, const struct st_instance *instance) {
    return !run->last_kept || instance->begin <= run->last_kept;
}

static void collect_suspects(struct tiers *tiers, const struct st_run *run,
                             const struct st_predict_options *options) {
    const struct st_model *model = run->model;
    bool all = options->may_deadlock || options->order == ST_MODEL_ALL;
    uint32_t *order = st_instances_by_begin(model);
    size_t capacity = 0;
    for (size_t i = 0; i < model->instance_count; i++) {
        const struct st_instance *instance = &model->instances[order[i]];
        bool part = is_part(model, order, i);
        bool atomic = tiers->possible.verdicts[instance->unit] == ST_BLOCK_ATOMIC;
        bool ordered = atomic && instance->ordered_within;
        bool first = !i || model->instances[order[i - 1]].begin != instance->begin;
        tiers->has_parts |= part;
        tiers->has_order_within |= ordered;
        if (!first || !(all || part || ordered || !atomic) || !is_within_events(run, instance))
            continue;
        st_reserve(&tiers->suspects, &capacity, tiers->suspect_count + 1);
        tiers->suspects[tiers->suspect_count++].begin = instance->begin;
    }
    free(order);
}

/* Without a proof a block is still possible, so the search has a time of its own. Each depth of
 * blocks gets half of what is left of it. */
static struct st_work_time time_for_proofs(const struct st_predict_options *options) {
    return (struct st_work_time){.limit =
                                     options->proofs ? st_work_time_left(options->proofs) / 2 : 0};
}

static void search_for_proofs(struct tiers *tiers, const struct st_run *run,
                              const struct st_predict_options *options) {
    struct st_work_time work = time_for_proofs(options);
    struct st_total_time total = options->total ? *options->total : (struct st_total_time){0};
    if (options->proofs)
        total.work = &work;
    const struct st_tas_setup setup = {.search = ST_TAS_CHAINS,
                                       .static_check = true,
                                       .timeout = options->timeout,
                                       .total = &total,
                                       .jobs = options->jobs,
                                       .dealer = options->dealer,
                                       .limit = options->limit,
                                       .suspects = tiers->suspects,
                                       .suspect_count = tiers->suspect_count};
    if (!tiers->suspect_count)
        return;
    struct st_tas_graph *graph =
        st_tas_graph_of(run->events, run->numbers, run->values, run->event_count);
    st_tas_run(graph, &setup, &tiers->proven, NULL);
    st_tas_graph_free(graph);
    if (options->proofs)
        st_work_time_use(options->proofs, work.limit - st_work_time_left(&work));
}

/* ---- one answer ---- */

static enum st_block_verdict proof_of(const struct tiers *tiers, uint64_t begin) {
    size_t at;
    st_lower_bound(at, 0, tiers->suspect_count, tiers->suspects[at].begin < begin);
    return at < tiers->suspect_count && tiers->suspects[at].begin == begin
               ? tiers->suspects[at].verdict
               : ST_BLOCK_ATOMIC;
}

/* Both choose in the same way which violations are listed, so each of them has its proof. */
static struct st_predicted_block *find_proof(struct tiers *tiers, uint64_t begin) {
    struct st_prediction *proven = &tiers->proven;
    size_t at;
    st_lower_bound(at, 0, proven->listed, proven->blocks[at].begin < begin);
    return at < proven->listed && proven->blocks[at].begin == begin ? &proven->blocks[at] : NULL;
}

/* Takes over what the proof has. */
static void explain(void *context, uint32_t unit, struct st_predicted_block *block) {
    struct tiers *tiers = context;
    if (block->verdict == ST_BLOCK_VIOLATION) {
        struct st_predicted_block *proof = find_proof(tiers, block->begin);
        uint64_t end = block->end; /* an excerpt may not reach it */
        *block = *proof;
        block->end = end;
        *proof = (struct st_predicted_block){.begin = block->begin};
    } else {
        st_commit_explain(&tiers->explainer, unit, block);
    }
}

/* The verdict on each instance: proven counts more than possible, and that more than undecided. */
static enum st_block_verdict *join_verdicts(const struct tiers *tiers,
                                            const struct st_model *model) {
    enum st_block_verdict *verdicts = st_alloc(model->instance_count + 1, sizeof *verdicts);
    for (size_t i = 0; i < model->instance_count; i++) {
        const struct st_instance *instance = &model->instances[i];
        verdicts[i] = tiers->possible.verdicts[instance->unit];
        if (proof_of(tiers, instance->begin) == ST_BLOCK_VIOLATION)
            verdicts[i] = ST_BLOCK_VIOLATION;
    }
    return verdicts;
}

static void add_caveats(const struct tiers *tiers, struct st_prediction *prediction) {
    for (size_t i = 0; i < tiers->proven.caveat_count; i++)
        st_prediction_caveat(prediction, tiers->proven.caveats[i]);
    prediction->unproven = tiers->proven.by[ST_BLOCK_TIMEOUT];
    if (prediction->unproven)
        st_prediction_caveat(prediction,
                             "Not all searches for a proof came to an end: more blocks may be cut "
                             "for certain (--timeout and --total-timeout give them more time).");
    if (tiers->has_parts)
        st_prediction_may_miss(prediction,
                               "Blocks that create or join threads or pass a barrier were judged "
                               "part by part, and as a whole only in schedules in which reads see "
                               "what they saw.");
}

/* Of the blocks that the commit nodes may miss, feasible schedules are all that is known. */
static void add_gap(const struct tiers *tiers, struct st_prediction *prediction) {
    if (tiers->has_order_within)
        st_prediction_may_miss(prediction,
                               "Blocks that initialise something once, or wait for that, were "
                               "judged only in schedules in which reads see what they saw.");
}

static void run_tiers(const struct st_run *run, const struct st_predict_options *options,
                      const void *own, struct st_prediction *prediction) {
    static const struct st_commit_node_options usual = {.pairwise = false};
    const struct st_model *model = run->model;
    struct tiers tiers = {.explainer = {.analysis = &tiers.possible}};
    (void)own;
    st_prediction_init(&tiers.proven);
    st_commit_judge(&tiers.possible, run, options, &usual);
    collect_suspects(&tiers, run, options);
    search_for_proofs(&tiers, run, options);
    prediction->method = "commit nodes, then feasible schedules";
    prediction->in_tiers = true;
    prediction->stopped = tiers.proven.by[ST_BLOCK_TIMEOUT] > 0; /* if the time is up */
    add_caveats(&tiers, prediction);
    add_gap(&tiers, prediction);
    enum st_block_verdict *verdicts = join_verdicts(&tiers, model);
    st_report_instances(model, verdicts, explain, &tiers, options->limit, prediction);
    free(verdicts);
    st_commit_explainer_free(&tiers.explainer);
    st_commit_end(&tiers.possible);
    st_prediction_free(&tiers.proven);
    free(tiers.suspects);
}

static const struct st_option no_options[] = {{0}};

const struct st_predictor st_tiers = {
    .name = "tiers",
    .result_name = "default",
    .summary = "what commit-node finds possible, and what of it tas can prove",
    .notion = "conflict",
    .reads_events = true,
    .reads_model = true,
    .ends_are_enough = true,
    .gives_traces = true,
    .options = no_options,
    .run = run_tiers,
};
