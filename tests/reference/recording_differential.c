/* recording-differential: compares what is predicted from random traces with and without the
 * accesses that recordings leave out.
 *
 *     recording-differential [--seed S] [--count N] [--rule NAME] [--engine NAME] [--forever]
 *                            [--verbose]
 *
 * Trace number i comes from the seed S + i. All predictors must say the same of each block, at
 * every depth and by both notions, of the whole trace and of what the rule leaves of it; the same
 * deadlocks must be possible, and the same blocks violated in the trace itself. The rule is
 * "sufficient", which `record` follows. For comparison there are "repetitions" and "reads", which
 * leave out too much, as must be noticed. --engine: some of the ways below, by the beginning of
 * their names.
 * Status 0: all agree; 1: a difference, printed with the smallest trace that shows it; 2: usage. */
#include "reference/avp_generate.h"
#include "reference/generate_units.h"
#include "reference/leave_out.h"
#include "reference/program.h"
#include "reference/reference.h"
#include "reference/shrink.h"

#include "predict/analysis.h"
#include "predict/blocks/blocks.h"
#include "predict/commit/commit_node.h"
#include "predict/reduction/reduction.h"

#include <inttypes.h>
#include <string.h>

enum { TEXT = 256, LONGEST_LOOP = 5 };
#define PATIENCE 0.5 /* seconds of processor time, for a block or a search; then it is skipped */

struct options {
    struct program program;
    const char *rule_name, *engine;
    enum leave_out_rule rule;
};

/* ---- the predictors ---- */

static const struct st_reduction_options pairwise = {.races = ST_RACES_PAIRWISE};
static const struct st_reduction_options by_variable = {.races = ST_RACES_BY_VARIABLE};
static const struct st_blocks_options one_variable = {.one_variable = true};
static const struct st_blocks_options exact = {.exact = true};
static const struct st_commit_node_options in_pairs = {.pairwise = true};

static const struct way {
    const char *name;
    const struct st_predictor *predictor;
    const void *own;
    enum st_notion notion;
} ways[] = {
    {"reduction", &st_reduction, NULL, ST_NOTION_CONFLICT},
    {"reduction pairwise", &st_reduction, &pairwise, ST_NOTION_CONFLICT},
    {"reduction by variable", &st_reduction, &by_variable, ST_NOTION_CONFLICT},
    {"blocks", &st_blocks, NULL, ST_NOTION_VIEW},
    {"blocks 1v", &st_blocks, &one_variable, ST_NOTION_VIEW},
    {"blocks exact", &st_blocks, &exact, ST_NOTION_VIEW},
    {"commit-node conflict", &st_commit_node, NULL, ST_NOTION_CONFLICT},
    {"commit-node view", &st_commit_node, NULL, ST_NOTION_VIEW},
    {"commit-node pairwise", &st_commit_node, &in_pairs, ST_NOTION_CONFLICT},
    {"tas", &st_tas, NULL, ST_NOTION_CONFLICT},
    {"tiers", &st_tiers, NULL, ST_NOTION_CONFLICT},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* ---- comparing ---- */

static bool compare_predictions(const struct way *way, const struct st_predictions *whole,
                                const struct st_predictions *part, char *why) {
    const struct st_prediction *one = whole->items, *other = part->items;
    if (one->listed != other->listed || whole->deadlock_count != part->deadlock_count) {
        snprintf(why, TEXT, "%s: %zu blocks and %zu deadlocks, of the rest %zu and %zu", way->name,
                 one->listed, whole->deadlock_count, other->listed, part->deadlock_count);
        return false;
    }
    for (size_t b = 0; b < one->listed; b++) {
        enum st_block_verdict here = one->blocks[b].verdict, there = other->blocks[b].verdict;
        bool gave_up = here == ST_BLOCK_TIMEOUT || there == ST_BLOCK_TIMEOUT ||
                       (way->own == &exact && st_is_reported(&one->blocks[b]) &&
                        st_is_reported(&other->blocks[b]));
        if (here == there || gave_up)
            continue;
        snprintf(why, TEXT, "%s: block %" PRIu64 " is said to be %s, and of the rest %s", way->name,
                 one->blocks[b].begin, st_block_verdict_name(here), st_block_verdict_name(there));
        return false;
    }
    return true;
}

static bool compare_way(const struct way *way, const struct sample *whole,
                        const struct sample *part, bool all_depths, char *why) {
    const struct st_analysis analysis = {way->predictor, way->own};
    const struct st_predict_plan plan = {.options = {.notion = way->notion, .timeout = PATIENCE},
                                         .analyses = &analysis,
                                         .analysis_count = 1,
                                         .all_depths = all_depths};
    struct st_predictions one, other;
    st_predict_events(&plan, whole->events, whole->count, &one);
    st_predict_events(&plan, part->events, part->count, &other);
    bool good = compare_predictions(way, &one, &other, why);
    st_predictions_free(&one);
    st_predictions_free(&other);
    return good;
}

/* Are the same blocks violated in both? Each has a begin in both, in the same order. */
static bool compare_checks(const struct sample *whole, const struct sample *part, char *why) {
    struct reference one, other;
    reference_check(&one, whole);
    reference_check(&other, part);
    bool good = one.block_count == other.block_count;
    for (size_t b = 0; good && b < one.block_count; b++)
        good = !one.blocks[b].violated_at == !other.blocks[b].violated_at;
    if (!good)
        snprintf(why, TEXT, "check: other blocks are violated");
    return good;
}

static bool is_wanted(const struct options *options, const char *name) {
    return !options->engine || strncmp(name, options->engine, strlen(options->engine)) == 0;
}

static bool compare(const struct sample *sample, const struct options *options, char *why) {
    uint64_t gone = leave_out(sample, options->rule);
    struct sample part;
    struct st_error error;
    if (!gone)
        return true;
    sample_without(sample, gone, &part);
    if (sample_check(&part, &error) < 0) {
        snprintf(why, TEXT, "the rest is not well formed");
        return false;
    }
    bool good = !is_wanted(options, "check") || compare_checks(sample, &part, why);
    for (size_t w = 0; good && w < WAYS; w++) {
        program_part = ways[w].name;
        if (is_wanted(options, ways[w].name))
            good = compare_way(&ways[w], sample, &part, false, why) &&
                   compare_way(&ways[w], sample, &part, true, why);
    }
    return good;
}

/* ---- traces with much to leave out ---- */

/* Finds accesses of one thread with no other event of it between them, from somewhere on. */
static size_t find_accesses(const struct sample *sample, struct chance *chance,
                            size_t found[LONGEST_LOOP]) {
    size_t at = chance_below(chance, (uint32_t)sample->count), count = 0;
    size_t most = 1 + chance_below(chance, LONGEST_LOOP);
    uint32_t thread = sample->events[at].thread;
    for (size_t i = at; i < sample->count && count < most; i++) {
        if (sample->events[i].thread != thread)
            continue;
        if (sample->events[i].op > ST_WRITE || sample->events[i].joined)
            break;
        found[count++] = i;
    }
    return count;
}

static void insert(struct sample *sample, size_t at, struct st_event event) {
    event.joined = event.atomic = 0;
    if (sample->count == SAMPLE_EVENTS)
        return;
    memmove(&sample->events[at + 1], &sample->events[at],
            (sample->count - at) * sizeof *sample->events);
    sample->events[at] = event;
    sample->count++;
}

/* A loop: the accesses once more, or several times, behind the last of them. Or some of them, in
 * any order and as reads or writes. */
static void repeat(struct sample *sample, struct chance *chance) {
    size_t found[LONGEST_LOOP], count = find_accesses(sample, chance, found);
    if (!count)
        return;
    struct st_event loop[LONGEST_LOOP];
    for (size_t i = 0; i < count; i++)
        loop[i] = sample->events[found[i]];
    bool regular = chance_percent(chance, 50), reads = chance_percent(chance, 60);
    size_t at = found[count - 1] + 1, steps = count * (1 + chance_below(chance, 3));
    for (size_t i = 0; i < steps; i++) {
        struct st_event event = loop[regular ? i % count : chance_below(chance, (uint32_t)count)];
        if (!regular && (reads || chance_percent(chance, 50)))
            event.op = event.written = ST_READ;
        insert(sample, at + i < sample->count ? at + i : sample->count, event);
    }
}

/* What comes behind an access may be of the same operation: it stays so. */
static bool make_sample(struct sample *sample, uint64_t seed) {
    struct chance chance = {seed};
    struct st_error error;
    if (seed % 2)
        generate_units(sample, seed);
    else
        avp_generate(sample, seed, 8 + seed / 2 % 20);
    for (uint32_t i = 1 + chance_below(&chance, 4); i > 0; i--)
        repeat(sample, &chance);
    sample_renumber(sample);
    return sample_check(sample, &error) == 0;
}

/* ---- a difference ---- */

struct fault {
    const struct options *options;
    char why[TEXT];
};

static bool shows_fault(const struct sample *sample, void *context) {
    struct fault *fault = context;
    return !compare(sample, fault->options, fault->why);
}

static void report(const struct sample *original, uint64_t seed, struct fault *fault) {
    struct sample sample = *original;
    printf("seed %" PRIu64 ", %s\n", seed, fault->why);
    shrink(&sample, shows_fault, fault);
    shows_fault(&sample, fault);
    printf("shrunk from %zu to %zu events: %s\n", original->count, sample.count, fault->why);
    sample_print(stdout, &sample);
    uint64_t gone = leave_out(&sample, fault->options->rule);
    for (size_t i = 0; i < sample.count; i++)
        if (gone >> i & 1)
            printf("(event %zu is left out)\n", i + 1);
}

/* ---- all traces ---- */

struct check {
    const struct options *options;
    uint64_t traces, events, left_out;
};

static bool check_next(void *context, uint64_t seed) {
    struct check *check = context;
    struct sample sample;
    struct fault fault = {.options = check->options};
    if (!make_sample(&sample, seed))
        return true;
    check->traces++;
    check->events += sample.count;
    check->left_out += (uint64_t)__builtin_popcountll(leave_out(&sample, check->options->rule));
    if (compare(&sample, check->options, fault.why))
        return true;
    report(&sample, seed, &fault);
    return false;
}

static bool is_rule(const char *name) {
    return strcmp(name, "sufficient") == 0 || strcmp(name, "repetitions") == 0 ||
           strcmp(name, "reads") == 0;
}

static bool is_engine(const char *name) {
    struct options options = {.engine = name};
    bool any = is_wanted(&options, "check");
    for (size_t w = 0; w < WAYS; w++)
        any |= is_wanted(&options, ways[w].name);
    return any;
}

int main(int argc, char **argv) {
    struct options options = {
        .program = {.name = "recording-differential",
                    .usage = "[--seed S] [--count N] [--rule NAME] [--engine NAME]\n"
                             "                              [--forever] [--verbose]",
                    .seed = 1,
                    .count = 1000},
        .rule_name = "sufficient"};
    const struct program_option own[] = {{.name = "--rule",
                                          .value = &options.rule_name,
                                          .is_valid = is_rule,
                                          .needs = "sufficient, repetitions or reads"},
                                         {.name = "--engine",
                                          .value = &options.engine,
                                          .is_valid = is_engine,
                                          .needs = "the beginning of an engine's name"},
                                         {.name = NULL}};
    if (!program_read(&options.program, own, argc, argv))
        return 2;
    options.rule = strcmp(options.rule_name, "repetitions") == 0 ? LEAVE_OUT_REPETITIONS
                   : strcmp(options.rule_name, "reads") == 0     ? LEAVE_OUT_READS
                                                                 : LEAVE_OUT_SUFFICIENT;
    program_watch();
    struct check check = {.options = &options};
    if (!program_run(&options.program, check_next, &check))
        return 1;
    printf("%" PRIu64 " traces, %.1f events each, of which %.1f%% were left out: all agree\n",
           check.traces, (double)check.events / (double)(check.traces | !check.traces),
           100.0 * (double)check.left_out / (double)(check.events | 1));
    return 0;
}
