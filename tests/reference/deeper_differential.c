/* deeper-differential: compares what is said of blocks in blocks of random traces when the outer
 * blocks are taken away in memory, or in one more pass over the trace, and when all of it is read
 * anew without them. What is read anew keeps inner variables (predict/model/model.h).
 *
 *     deeper-differential [--seed S] [--count N] [--forever] [--verbose]
 *
 * Trace number i comes from the seed S + i. All predictors must say the same of each block at every
 * depth (where memory is fresh, they may report more in memory, and never less), whether all events
 * are in memory or only an excerpt of them (predict/excerpt.h), and also if there are only pieces
 * of units, and blocks are judged one by one while the trace is read. A model with gaps
 * (predict/model/spare/spare.h) may leave blocks undecided, and says the same of all others. Status
 * 0: all agree; 1: a difference, printed with the smallest trace that shows it; 2: usage. */
#include "reference/avp_generate.h"
#include "reference/generate_units.h"
#include "reference/program.h"
#include "reference/fresh_memory.h"
#include "reference/rows.h"
#include "reference/shrink.h"
#include "reference/signals.h"

#include "predict/analysis.h"
#include "predict/blocks/blocks.h"
#include "predict/reduction/reduction.h"

#include <inttypes.h>
#include <string.h>

enum { TEXT = 256, DEPTHS = 4 };
#define PATIENCE 0.5 /* seconds, for a block or a search; then it is skipped */

/* ---- the predictors ---- */

static const struct st_reduction_options by_variable = {.races = ST_RACES_BY_VARIABLE};
static const struct st_reduction_options online = {.online = true};
static const struct st_blocks_options exact = {.exact = true};

static const struct way {
    const char *name;
    const struct st_predictor *predictor;
    const void *own;
    enum st_notion notion;
    enum st_model_order order;
    enum st_relation relation;
} ways[] = {
    {"reduction", &st_reduction, NULL, ST_NOTION_CONFLICT, ST_MODEL_BARRIERS, ST_LOCKS},
    {"reduction by variable", &st_reduction, &by_variable, ST_NOTION_CONFLICT, ST_MODEL_ALL,
     ST_LOCKS},
    {"reduction online", &st_reduction, &online, ST_NOTION_CONFLICT, ST_MODEL_BARRIERS, ST_LOCKS},
    {"blocks", &st_blocks, NULL, ST_NOTION_VIEW, ST_MODEL_BARRIERS, ST_LOCKS},
    {"blocks exact", &st_blocks, &exact, ST_NOTION_VIEW, ST_MODEL_BARRIERS, ST_LOCKS},
    {"commit-node conflict", &st_commit_node, NULL, ST_NOTION_CONFLICT, ST_MODEL_BARRIERS,
     ST_LOCKS},
    {"commit-node view", &st_commit_node, NULL, ST_NOTION_VIEW, ST_MODEL_ALL, ST_LOCKS},
    {"tas", &st_tas, NULL, ST_NOTION_CONFLICT, ST_MODEL_BARRIERS, ST_LOCKS},
    {"tiers", &st_tiers, NULL, ST_NOTION_CONFLICT, ST_MODEL_BARRIERS, ST_LOCKS},
    {"reduction, data", &st_reduction, NULL, ST_NOTION_CONFLICT, ST_MODEL_BARRIERS, ST_DATA},
    {"commit-node conflict, data", &st_commit_node, NULL, ST_NOTION_CONFLICT, ST_MODEL_BARRIERS,
     ST_DATA},
    {"commit-node conflict, data, observed order", &st_commit_node, NULL, ST_NOTION_CONFLICT,
     ST_MODEL_ALL, ST_DATA},
    {"tiers, data", &st_tiers, NULL, ST_NOTION_CONFLICT, ST_MODEL_BARRIERS, ST_DATA},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* ---- comparing ---- */

/* How the outer blocks are taken away. */
enum deepening {
    WHOLE,
    EXCERPT,
    ANOTHER_PASS,
    SPARSE,
    SPARSE_PASS,
    PORTIONS,
    PORTIONS_PASS,
    NARROW,
    NARROW_PASS,
    DEEPENINGS
};

static const char *const deepening_names[] = {"whole",
                                              "excerpt",
                                              "another pass",
                                              "sparse",
                                              "sparse, another pass",
                                              "portions",
                                              "portions, another pass",
                                              "narrow",
                                              "narrow, another pass"};

static bool reads_trace(enum deepening deepening) {
    return deepening != WHOLE && deepening % 2 == 0;
}

/* An event at a time, so that a portion can be judged after each. */
static void read_passes(struct st_run *run, const struct sample *sample) {
    while (st_run_wants_pass(run)) {
        for (size_t i = 0; i < sample->count; i++)
            st_run_feed(run, &sample->events[i], 1, i + 1);
        st_run_end_pass(run);
    }
}

/* What was said of blocks while the run was read. */
struct portions {
    const struct st_predict_plan *plan;
    struct st_predictions all;
};

static void judge_portion(void *context, const struct st_run *run) {
    struct portions *portions = context;
    struct st_predictions portion;
    st_predict_run(portions->plan, run, &portion);
    st_predictions_add_portion(&portions->all, &portion);
}

static void judge_rest(struct portions *portions, const struct st_run *run,
                       struct st_predictions *all) {
    st_predict_run(portions->plan, run, all);
    if (portions->all.count)
        st_predictions_add_portion(all, &portions->all);
}

static struct st_run *read_run(const struct st_run_needs *needs, const struct sample *sample) {
    struct st_run *run = st_run_new(needs);
    read_passes(run, sample);
    return run;
}

static void go_deeper(struct st_run *run, const struct sample *sample, enum deepening deepening) {
    if (!reads_trace(deepening)) {
        st_run_go_deeper(run);
        return;
    }
    st_run_read_deeper(run);
    read_passes(run, sample);
}

/* What models with gaps said of blocks. */
static uint64_t sparse_verdicts, sparse_undecided, sparse_reported;

static void count_sparse(const struct st_prediction *prediction) {
    sparse_verdicts += prediction->block_count;
    sparse_undecided += prediction->by[ST_BLOCK_TIMEOUT];
    sparse_reported += prediction->by[ST_BLOCK_POTENTIAL] + prediction->by[ST_BLOCK_VIOLATION];
}

static const struct st_predicted_block *find_block(const struct st_prediction *prediction,
                                                   uint64_t begin) {
    for (size_t b = 0; b < prediction->listed; b++)
        if (prediction->blocks[b].begin == begin)
            return &prediction->blocks[b];
    return NULL;
}

/* Did patience run out in one of the two? What the exact search would have shown to be a violation
 * or atomic stays potential then. */
static bool is_undecided(enum st_block_verdict one, enum st_block_verdict other, bool searches) {
    return one == ST_BLOCK_TIMEOUT || other == ST_BLOCK_TIMEOUT ||
           (searches && (one == ST_BLOCK_POTENTIAL || other == ST_BLOCK_POTENTIAL));
}

/* Empty blocks are not listed if there is only an excerpt, but they count as atomic ones. */
static bool compare_predictions(const struct st_prediction *anew, const struct st_prediction *here,
                                bool may_be_more, bool searches, char *why) {
    if (anew->block_count != here->block_count ||
        (!may_be_more && anew->static_proofs != here->static_proofs)) {
        snprintf(why, TEXT, "%" PRIu64 " blocks anew, in memory %" PRIu64, anew->block_count,
                 here->block_count);
        return false;
    }
    for (size_t b = 0; b < anew->listed; b++) {
        const struct st_predicted_block *block = find_block(here, anew->blocks[b].begin);
        enum st_block_verdict one = anew->blocks[b].verdict;
        enum st_block_verdict other = block ? block->verdict : ST_BLOCK_ATOMIC;
        if (one == other || is_undecided(one, other, searches))
            continue;
        if (may_be_more && one == ST_BLOCK_ATOMIC)
            continue;
        snprintf(why, TEXT, "block %" PRIu64 " is said to be %s anew, in memory %s",
                 anew->blocks[b].begin, st_block_verdict_name(one), st_block_verdict_name(other));
        return false;
    }
    return true;
}

/* Does the path leave the block and come back, by accesses that conflict? Between two of these, it
 * stays in a thread, or order leads it to another one. */
static bool is_path(const struct st_predicted_block *block) {
    bool good = block->path_length >= 2 && block->node_count == 2;
    for (size_t i = 0; good && i < block->path_length; i++) {
        const struct st_event *from = &block->path[i].from.event, *to = &block->path[i].to.event;
        bool first = i == 0, last = i + 1 == block->path_length;
        good = from->target == to->target && from->thread != to->thread &&
               (from->op == ST_WRITE || to->op == ST_WRITE || from->op == ST_SEND) &&
               (from->thread == block->thread) == first && (to->thread == block->thread) == last;
    }
    return good;
}

static bool has_paths(const struct st_prediction *prediction, char *why) {
    for (size_t b = 0; b < prediction->listed; b++) {
        const struct st_predicted_block *block = &prediction->blocks[b];
        if (block->verdict != ST_BLOCK_POTENTIAL || is_path(block))
            continue;
        snprintf(why, TEXT, "the path that cuts block %" PRIu64 " is none", block->begin);
        return false;
    }
    return true;
}

/* An excerpt has no marks of blocks that are too deep to be judged. An access to fresh memory can
 * count for the sake of such a block alone (predict/model/exposure.h). */
static void unmark_deep_blocks(struct sample *sample) {
    size_t depths[SAMPLE_THREADS] = {0};
    for (size_t i = 0; i < sample->count; i++) {
        struct st_event *event = &sample->events[i];
        size_t *depth = &depths[event->thread];
        bool deep = event->op == ST_BEGIN ? (*depth)++ >= DEPTHS
                                          : event->op == ST_END && --*depth >= DEPTHS;
        if (deep)
            event->op = ST_UNMARKED;
    }
}

static struct st_run *read_anew(const struct st_run_needs *needs, const struct sample *sample) {
    struct sample shallow = *sample;
    if (fresh_is_marked(sample))
        unmark_deep_blocks(&shallow);
    return read_run(needs, &shallow);
}

static bool compare_depth(const struct st_predict_plan *plan, const struct sample *sample,
                          const struct st_run *run, struct portions *portions, unsigned depth,
                          char *why) {
    struct st_run_needs needs = st_predict_needs(plan);
    needs.blocks.below = depth;
    needs.model.ends_only = false;
    struct st_run *fresh = read_anew(&needs, sample);
    struct st_predictions anew, here;
    st_predict_run(plan, fresh, &anew);
    judge_rest(portions, run, &here);
    if (run->model->has_gaps)
        count_sparse(here.items);
    bool good = !depth || st_run_has_blocks(fresh) == st_run_has_blocks(run);
    if (!good)
        snprintf(why, TEXT, "blocks are left anew, or in memory, but not both");
    /* What was hidden for the sake of an outer block is not hidden in memory any more. */
    if (good && run->model->sparse && !run->model->has_gaps && here.items->by[ST_BLOCK_TIMEOUT]) {
        snprintf(why, TEXT, "%" PRIu64 " blocks are not decided, and there are no gaps",
                 here.items->by[ST_BLOCK_TIMEOUT]);
        good = false;
    }
    good = good && compare_predictions(anew.items, here.items, fresh_is_marked(sample),
                                       plan->analyses->own == &exact, why);
    if (plan->analyses->predictor == &st_commit_node && plan->options.relation == ST_DATA)
        good = good && has_paths(here.items, why);
    st_predictions_free(&anew);
    st_predictions_free(&here);
    st_run_free(fresh);
    return good;
}

static bool compare_way(const struct way *way, const struct sample *sample,
                        enum deepening deepening, char *why) {
    const struct st_analysis analysis = {way->predictor, way->own};
    const struct st_predict_plan plan = {.options = {.notion = way->notion,
                                                     .order = way->order,
                                                     .relation = way->relation,
                                                     .timeout = PATIENCE},
                                         .analyses = &analysis,
                                         .analysis_count = 1};
    struct st_run_needs needs = st_predict_needs(&plan);
    char difference[TEXT];
    needs.depths = DEPTHS;
    needs.excerpt = deepening != WHOLE;
    needs.sparse = deepening >= SPARSE;
    needs.portion = deepening >= PORTIONS;
    needs.narrow = deepening >= NARROW;
    needs.judge = judge_portion;
    struct portions portions = {.plan = &plan};
    needs.judge_context = &portions;
    if (needs.sparse && !needs.model.may_be_sparse)
        return true;
    struct st_run *run = read_run(&needs, sample);
    bool good = true;
    for (unsigned depth = 0; good && depth < DEPTHS; depth++) {
        bool expected = !depth || st_run_may_have_deeper(run);
        if (depth)
            go_deeper(run, sample, deepening);
        good = compare_depth(&plan, sample, run, &portions, depth, difference);
        if (good && depth && st_run_has_blocks(run) != expected) {
            snprintf(difference, TEXT, "blocks are %s", expected ? "missing" : "a surprise");
            good = false;
        }
        if (!good)
            snprintf(why, TEXT + TEXT, "%s, %s, depth %u: %s", way->name,
                     deepening_names[deepening], depth, difference);
    }
    st_run_free(run);
    return good;
}

static bool compare(const struct sample *sample, char *why) {
    bool good = true;
    for (size_t w = 0; good && w < WAYS; w++) {
        program_part = ways[w].name;
        for (int deepening = 0; good && deepening < DEEPENINGS; deepening++)
            good = compare_way(&ways[w], sample, (enum deepening)deepening, why);
    }
    return good;
}

/* ---- traces with blocks in blocks ---- */

static bool is_balanced(const struct sample *sample, uint32_t thread, size_t first, size_t end) {
    size_t depth = 0;
    for (size_t i = first; i < end; i++) {
        const struct st_event *event = &sample->events[i];
        if (event->thread != thread)
            continue;
        if (event->op == ST_END && !depth)
            return false;
        depth += event->op == ST_BEGIN;
        depth -= event->op == ST_END;
    }
    return depth == 0;
}

/* An atomic operation stays in one piece. */
static void insert(struct sample *sample, size_t at, uint32_t thread, enum st_op op) {
    size_t next = at;
    while (next < sample->count && sample->events[next].thread != thread)
        next++;
    if (sample->count == SAMPLE_EVENTS || (next < sample->count && sample->events[next].joined))
        return;
    memmove(&sample->events[at + 1], &sample->events[at],
            (sample->count - at) * sizeof *sample->events);
    sample->events[at] = st_event_make(thread, 0, 0, op);
    sample->count++;
}

static void nest(struct sample *sample, struct chance *chance) {
    size_t first = chance_below(chance, (uint32_t)sample->count);
    size_t end = first + 1 + chance_below(chance, (uint32_t)(sample->count - first));
    uint32_t thread = sample->events[first].thread;
    if (!is_balanced(sample, thread, first, end) || sample->count + 2 > SAMPLE_EVENTS)
        return;
    insert(sample, end, thread, ST_END);
    insert(sample, first, thread, ST_BEGIN);
}

static bool make_sample(struct sample *sample, uint64_t seed) {
    struct chance chance = {seed};
    struct st_error error;
    if (seed % 2)
        generate_units(sample, seed);
    else
        avp_generate(sample, seed, 8 + seed / 2 % 20);
    if (seed % 8 == 5)
        fresh_plant(sample, &chance);
    if (seed % 3 == 0)
        rows_add(sample, &chance, SAMPLE_EVENTS - 16);
    for (uint32_t i = 2 + chance_below(&chance, 6); i > 0; i--)
        nest(sample, &chance);
    if (seed % 4 == 1)
        fresh_mark(sample, &chance);
    if (seed % 4 == 3)
        signals_add(sample, &chance);
    sample_renumber(sample);
    return sample_check(sample, &error) == 0;
}

/* ---- all traces ---- */

static bool shows_fault(const struct sample *sample, void *why) {
    return !compare(sample, why);
}

static bool check_next(void *context, uint64_t seed) {
    struct sample sample, small;
    char why[TEXT + TEXT];
    if (!make_sample(&sample, seed))
        return true;
    ++*(uint64_t *)context;
    if (compare(&sample, why))
        return true;
    small = sample;
    printf("seed %" PRIu64 ", %s\n", seed, why);
    shrink(&small, shows_fault, why);
    shows_fault(&small, why);
    printf("shrunk from %zu to %zu events: %s\n", sample.count, small.count, why);
    sample_print(stdout, &small);
    return false;
}

int main(int argc, char **argv) {
    struct program program = {.name = "deeper-differential",
                              .usage = "[--seed S] [--count N] [--forever] [--verbose]",
                              .seed = 1,
                              .count = 1000};
    const struct program_option own[] = {{.name = NULL}};
    uint64_t traces = 0;
    if (!program_read(&program, own, argc, argv))
        return 2;
    program_watch();
    if (!program_run(&program, check_next, &traces))
        return 1;
    printf("%" PRIu64 " traces: all agree at every depth\n", traces);
    printf("models with gaps: %" PRIu64 " verdicts, %" PRIu64 " of them reports, %" PRIu64
           " undecided\n",
           sparse_verdicts, sparse_reported, sparse_undecided);
    return 0;
}
