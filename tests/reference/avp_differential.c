/* avp-differential: compares the searches of TAS with brute force on random traces.
 *
 *     avp-differential [--seed S] [--count N] [--search NAME] [--large] [--damaged]
 *                      [--lives | --walks] [--values] [--forever] [--verbose]
 *
 * Trace number i comes from the seed S + i. On each, every search must find exactly the blocks
 * that some almost-view-preserving run violates, with valid witnesses; no path of any run may
 * leave the segment of its block, and the static check must not pass a violated block. With a
 * bound on switches, chains must agree with states. The tiers must have what brute force finds, and
 * what commit-node reports beside it. With --large the traces are too large for brute
 * force, and chains are compared with states. With --damaged they are those of `differential
 * --damaged`: malformed ones after repair, many of which are skipped because they are too large.
 * With --lives, most threads are created after another one was joined; with --walks, threads walk
 * through variables hand over hand.
 * With --values, accesses have values, so that reads can see other writes than they saw.
 * Status 0: all agree; 1: a mismatch, printed with the smallest trace that shows it; 2: usage. */
#include "reference/avp.h"
#include "reference/avp_generate.h"
#include "reference/reference.h"
#include "reference/program.h"
#include "reference/shrink.h"

#include "predict/analysis.h"
#include "predict/tas/segment.h"

#include <inttypes.h>
#include <string.h>

enum {
    SMALL_EVENTS = 24,
    LARGE_EVENTS = SAMPLE_EVENTS,
    STATE_LIMIT = 400000, /* of brute force; then the trace is skipped, and counted as such */
    DAMAGED_LIMIT = 5000, /* the same */
    RUN_LIMIT = 1000,     /* of brute force over whole runs; the same */
    MOST_SWITCHES = 4,    /* that schedules are bounded to */
    TEXT = 256
};

struct options {
    struct program program;
    const char *search; /* NULL: all */
    bool large, damaged, lives, walks, values;
};

/* A way to search. */
struct way {
    const char *name;
    struct st_tas_setup options;
};

static const struct way ways[] = {
    {"states", {.search = ST_TAS_STATES, .static_check = true}},
    {"states-whole", {.search = ST_TAS_STATES, .whole_trace = true}},
    {"states-paths",
     {.search = ST_TAS_STATES, .static_check = true, .shrinking = ST_TAS_SHRINK_PATHS}},
    {"dpor", {.search = ST_TAS_DPOR, .static_check = true}},
    {"dpor-unshrunk", {.search = ST_TAS_DPOR, .static_check = true, .shrinking = ST_TAS_SHRINK_NO}},
    {"dpor-paths", {.search = ST_TAS_DPOR, .static_check = true, .shrinking = ST_TAS_SHRINK_PATHS}},
    {"dpor-whole", {.search = ST_TAS_DPOR, .whole_trace = true}},
    {"chains", {.search = ST_TAS_CHAINS, .static_check = true}},
    {"chains-paths",
     {.search = ST_TAS_CHAINS, .static_check = true, .shrinking = ST_TAS_SHRINK_PATHS}},
    {"chains-unshrunk",
     {.search = ST_TAS_CHAINS, .static_check = true, .shrinking = ST_TAS_SHRINK_NO}},
    {"chains-jobs", {.search = ST_TAS_CHAINS, .jobs = 3}},
    {"chains-whole", {.search = ST_TAS_CHAINS, .whole_trace = true}},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

struct tally {
    uint64_t traces, skipped, events, blocks, violated, timeouts, runs_checked, steps[WAYS];
};

/* ---- comparing ---- */

/* With values where the sample has some, and otherwise without. */
static const struct st_value_numbers *values_of(const struct sample *sample) {
    for (size_t i = 0; i < sample->count; i++)
        if (sample->values[i].held || sample->values[i].left)
            return sample->values;
    return NULL;
}

static struct st_tas_graph *graph_of(const struct sample *sample) {
    return st_tas_graph_of(sample->events, NULL, values_of(sample), sample->count);
}

static const char *validate(const struct sample *sample, const struct st_predicted_block *block) {
    return st_tas_validate_of(sample->events, NULL, values_of(sample), sample->count, block);
}

/* Is the block violated in the schedule, taken as a trace of its own? NULL if it is. */
static const char *check_as_trace(const struct sample *sample,
                                  const struct st_predicted_block *block) {
    struct sample schedule = {.count = 0, .repair = sample->repair};
    struct reference reference;
    struct st_error error;
    unsigned begin = 0;
    for (size_t i = 0; i < block->witness_length; i++) {
        schedule.events[schedule.count++] = sample->events[block->witness[i] - 1];
        if (block->witness[i] == block->begin)
            begin = (unsigned)schedule.count;
    }
    sample_renumber(&schedule);
    if (sample_check(&schedule, &error) < 0)
        return "its schedule is not well formed";
    reference_check(&reference, &schedule);
    for (size_t b = 0; b < reference.block_count; b++)
        if (reference.blocks[b].begin == begin && reference.blocks[b].violated_at)
            return NULL;
    return "its schedule as a trace does not violate it";
}

/* Are the verdicts as expected, and the witnesses valid? */
static bool compare_way(const struct st_tas_graph *graph, const struct sample *sample,
                        const struct avp *avp, const struct way *way, struct tally *tally,
                        char *why) {
    struct st_prediction prediction;
    struct st_tas_counts table;
    bool good = true;
    st_prediction_init(&prediction);
    st_tas_run(graph, &way->options, &prediction, &table);
    if (tally)
        tally->steps[way - ways] += table.interleavings;
    if (prediction.caveat_count || prediction.listed != avp->block_count) {
        snprintf(why, TEXT, "%s: %s", way->name,
                 prediction.caveat_count ? prediction.caveats[0] : "not all blocks are listed");
        good = false;
    }
    for (size_t b = 0; good && b < avp->block_count; b++) {
        const struct st_predicted_block *block = &prediction.blocks[b];
        bool violated = block->verdict == ST_BLOCK_VIOLATION;
        const char *wrong = violated ? validate(sample, block) : NULL;
        if (violated && !wrong)
            wrong = check_as_trace(sample, block);
        if (violated != avp->blocks[b].violated || wrong || block->verdict == ST_BLOCK_TIMEOUT ||
            block->begin != avp->blocks[b].begin || block->end != avp->blocks[b].end) {
            snprintf(why, TEXT, "%s: block %" PRIu64 "-%" PRIu64 " is said to be %s%s%s", way->name,
                     block->begin, block->end, st_block_verdict_name(block->verdict),
                     wrong ? ", but " : "", wrong ? wrong : "");
            good = false;
        }
    }
    st_prediction_free(&prediction);
    return good;
}

/* Is all that is on paths of any run in the segment? */
static bool holds_paths(struct tas_segment *segment, const struct st_tas_graph *graph,
                        const struct sample *sample, const struct avp_block *block,
                        const char *which, char *why) {
    tas_segment_complete(segment, graph);
    for (uint32_t i = 0; i < sample->count; i++)
        if (block->on_paths >> i & 1 &&
            (graph->position[i] <= segment->upper[tas_strand_of(graph, i)] ||
             graph->position[i] >= segment->lower[tas_strand_of(graph, i)])) {
            snprintf(why, TEXT, "event %u is on a path and not in the segment of block %u, %s",
                     i + 1, block->begin, which);
            return false;
        }
    return true;
}

/* The same after each way to shrink it. What is left must conflict, or paths would keep more than
 * conflicts do. */
static bool shrunk_hold_paths(struct tas_segment *segment, const struct st_tas_graph *graph,
                              const struct sample *sample, const struct avp_block *block,
                              const struct tas_block *own, char *why) {
    static const char *const names[] = {[ST_TAS_SHRINK_CONFLICTS] = "shrunk by conflicts",
                                        [ST_TAS_SHRINK_PATHS] = "shrunk by paths",
                                        [ST_TAS_SHRINK_NO] = "not shrunk"};
    size_t left[ST_TAS_SHRINK_NO + 1] = {0};
    for (int rule = 0; rule <= ST_TAS_SHRINK_NO; rule++) {
        tas_segment_find(segment, graph, own);
        bool passes = tas_segment_static_check(segment, graph, (enum st_tas_shrinking)rule);
        if (block->on_paths && passes) {
            snprintf(why, TEXT, "the static check passes block %u, %s", block->begin, names[rule]);
            return false;
        }
        if (!passes && !holds_paths(segment, graph, sample, block, names[rule], why))
            return false;
        left[rule] = passes ? 0 : segment->access_count;
    }
    if (left[ST_TAS_SHRINK_PATHS] > left[ST_TAS_SHRINK_CONFLICTS] ||
        left[ST_TAS_SHRINK_CONFLICTS] > left[ST_TAS_SHRINK_NO]) {
        snprintf(why, TEXT, "a stronger rule leaves more of block %u", block->begin);
        return false;
    }
    return true;
}

/* The theorem of the paper, and its static check, on all runs of a very small trace. */
static bool compare_segments(const struct st_tas_graph *graph, const struct sample *sample,
                             const struct avp *avp, struct tally *tally, char *why) {
    struct avp runs;
    struct tas_segment segment;
    bool good = true;
    avp_paths(&runs, sample, RUN_LIMIT);
    if (runs.gave_up)
        return true;
    if (tally)
        tally->runs_checked++;
    tas_segment_init(&segment, graph);
    for (size_t b = 0; good && b < runs.block_count; b++) {
        const struct avp_block *block = &runs.blocks[b];
        bool found = tas_segment_find(&segment, graph, &graph->blocks[b]);
        if (block->violated != avp->blocks[b].violated || (block->on_paths && !found)) {
            snprintf(why, TEXT, "%s",
                     found ? "brute force over runs and over states differ"
                           : "a violated block has no segment");
            good = false;
        }
        good = good && (!found || holds_paths(&segment, graph, sample, block, "as found", why));
        good = good && (!found ||
                        shrunk_hold_paths(&segment, graph, sample, block, &graph->blocks[b], why));
    }
    tas_segment_free(&segment);
    return good;
}

static void ask_within(const struct st_tas_graph *graph, struct st_tas_setup options,
                       enum st_tas_search search, struct st_prediction *prediction) {
    options.search = search;
    st_prediction_init(prediction);
    st_tas_run(graph, &options, prediction, NULL);
}

/* Do chains agree with states with a bound on switches, and are their witnesses valid? */
static bool compare_bound(const struct st_tas_graph *graph, const struct sample *sample,
                          const struct st_tas_setup *options, char *why) {
    struct st_prediction states, chains;
    bool good = true;
    ask_within(graph, *options, ST_TAS_STATES, &states);
    ask_within(graph, *options, ST_TAS_CHAINS, &chains);
    for (size_t b = 0; good && b < states.listed; b++) {
        const struct st_predicted_block *block = &chains.blocks[b];
        const char *wrong = block->verdict == ST_BLOCK_VIOLATION ? validate(sample, block) : NULL;
        good = block->verdict == states.blocks[b].verdict && !wrong;
        if (!good)
            snprintf(why, TEXT,
                     "with %" PRIu64 " switches%s block %" PRIu64 "-%" PRIu64
                     " is said to be %s by chains and %s by states%s%s",
                     options->max_switches, options->whole_trace ? " in the whole trace" : "",
                     block->begin, block->end, st_block_verdict_name(block->verdict),
                     st_block_verdict_name(states.blocks[b].verdict), wrong ? ", but " : "",
                     wrong ? wrong : "");
    }
    st_prediction_free(&states);
    st_prediction_free(&chains);
    return good;
}

static bool compare_bounds(const struct st_tas_graph *graph, const struct sample *sample,
                           char *why) {
    bool good = true;
    for (uint64_t bound = 1; good && bound <= MOST_SWITCHES; bound++) {
        struct st_tas_setup options = {.max_switches = bound, .static_check = true};
        good = compare_bound(graph, sample, &options, why);
        options = (struct st_tas_setup){.max_switches = bound, .whole_trace = true};
        good = good && compare_bound(graph, sample, &options, why);
    }
    return good;
}

/* Do the tiers have each block once, proven if brute force says so and otherwise as commit-node has
 * it? */
static bool compare_tiers(const struct sample *sample, const struct avp *avp, char *why) {
    const struct st_analysis analyses[] = {{&st_tiers, NULL}, {&st_commit_node, NULL}};
    const struct st_predict_plan plan = {.analyses = analyses, .analysis_count = 2};
    struct st_predictions predictions;
    bool good = true;
    st_predict_events(&plan, sample->events, sample->count, &predictions);
    const struct st_prediction *tiers = &predictions.items[0], *nodes = &predictions.items[1];
    if (tiers->listed != avp->block_count || nodes->listed != avp->block_count) {
        snprintf(why, TEXT, "tiers: not all blocks are listed");
        good = false;
    }
    for (size_t b = 0; good && b < avp->block_count; b++) {
        const struct st_predicted_block *block = &tiers->blocks[b];
        enum st_block_verdict expected =
            avp->blocks[b].violated ? ST_BLOCK_VIOLATION : nodes->blocks[b].verdict;
        bool valid =
            block->verdict != ST_BLOCK_VIOLATION || (!block->events_of && !validate(sample, block));
        good = block->begin == avp->blocks[b].begin && block->verdict == expected && valid;
        if (!good)
            snprintf(why, TEXT, "tiers: block %" PRIu64 "-%" PRIu64 " is said to be %s, not %s%s",
                     block->begin, block->end, st_block_verdict_name(block->verdict),
                     st_block_verdict_name(expected), valid ? "" : ", without a valid witness");
    }
    st_predictions_free(&predictions);
    return good;
}

/* What states say about the blocks, in place of brute force. */
static bool ask_states(const struct st_tas_graph *graph, struct avp *avp) {
    struct st_tas_setup options = ways[0].options;
    struct st_prediction prediction;
    options.timeout = 2;
    st_prediction_init(&prediction);
    st_tas_run(graph, &options, &prediction, NULL);
    memset(avp, 0, sizeof *avp);
    avp->block_count = prediction.listed;
    for (size_t b = 0; b < prediction.listed; b++) {
        avp->blocks[b].begin = (unsigned)prediction.blocks[b].begin;
        avp->blocks[b].end = (unsigned)prediction.blocks[b].end;
        avp->blocks[b].violated = prediction.blocks[b].verdict == ST_BLOCK_VIOLATION;
    }
    bool sure = prediction.by[ST_BLOCK_TIMEOUT] == 0;
    st_prediction_free(&prediction);
    return sure;
}

static bool is_wanted(const struct options *options, const struct way *way) {
    if (options->search)
        return strncmp(way->name, options->search, strlen(options->search)) == 0;
    return !options->large || way->options.search == ST_TAS_CHAINS;
}

static void count(struct tally *tally, const struct sample *sample, const struct avp *avp) {
    tally->traces++;
    tally->events += sample->count;
    tally->blocks += avp->block_count;
    for (size_t b = 0; b < avp->block_count; b++)
        tally->violated += avp->blocks[b].violated;
}

/* True if all agree, or the trace is too large to know. */
static bool compare(const struct sample *sample, const struct options *options, struct tally *tally,
                    char *why) {
    struct avp avp;
    struct st_tas_graph *graph = graph_of(sample);
    bool good = true, known = true;
    if (options->large) {
        known = ask_states(graph, &avp);
    } else {
        avp_check(&avp, sample, options->damaged ? DAMAGED_LIMIT : STATE_LIMIT);
        known = !avp.gave_up;
    }
    if (tally) {
        count(tally, sample, &avp);
        tally->skipped += !known;
    }
    for (size_t w = 0; known && good && w < WAYS; w++)
        if (is_wanted(options, &ways[w]))
            good = compare_way(graph, sample, &avp, &ways[w], tally, why);
    if (good && known && !options->large)
        good = compare_segments(graph, sample, &avp, tally, why);
    if (good && known && !options->large && !options->search)
        good = compare_bounds(graph, sample, why);
    if (good && known && !options->search && !options->values)
        good = compare_tiers(sample, &avp, why);
    st_tas_graph_free(graph);
    return good;
}

/* ---- a mismatch ---- */

struct fault {
    const struct options *options;
    char why[TEXT];
};

static bool shows_fault(const struct sample *sample, void *context) {
    struct fault *fault = context;
    return !compare(sample, fault->options, NULL, fault->why);
}

static void report(const struct sample *original, uint64_t seed, struct fault *fault) {
    struct sample sample = *original;
    struct avp avp;
    printf("seed %" PRIu64 ", %s\n", seed, fault->why);
    shrink(&sample, shows_fault, fault);
    shows_fault(&sample, fault);
    printf("shrunk from %zu to %zu events: %s\n", original->count, sample.count, fault->why);
    sample_print(stdout, &sample);
    for (size_t i = 0; i < sample.count; i++)
        if (sample.events[i].joined)
            printf("(event %zu is one operation with the one before it in its thread)\n", i + 1);
    for (size_t i = 0; i < sample.count; i++)
        if (sample.values[i].held || sample.values[i].left)
            printf("(event %zu held %" PRIu32 " and left %" PRIu32 ")\n", i + 1,
                   sample.values[i].held, sample.values[i].left);
    avp_check(&avp, &sample, UINT64_MAX);
    printf("expected:\n");
    avp_print(stdout, &avp);
}

/* ---- all traces ---- */

static void print_tally(const struct options *options, const struct tally *tally, double start) {
    printf("%" PRIu64 " traces (%" PRIu64 " skipped), %.1f events each; %" PRIu64
           " blocks, %.1f%% violated; all runs of %" PRIu64 " traces; %.0f traces a second\n",
           tally->traces, tally->skipped, (double)tally->events / (double)tally->traces,
           tally->blocks, 100.0 * (double)tally->violated / (double)(tally->blocks | 1),
           tally->runs_checked, (double)tally->traces / (program_seconds() - start));
    for (size_t w = 0; options->program.verbose && w < WAYS; w++)
        printf("  %-14s %" PRIu64 " steps\n", ways[w].name, tally->steps[w]);
}

struct check {
    const struct options *options;
    struct tally tally;
    double start;
};

static bool check_next(void *context, uint64_t seed) {
    struct check *check = context;
    const struct options *options = check->options;
    struct sample sample;
    struct fault fault = {.options = options};
    size_t most = options->large ? LARGE_EVENTS : SMALL_EVENTS;
    if (options->damaged)
        generate_damaged(&sample, seed);
    else if (options->lives)
        avp_generate_lives(&sample, seed, 8 + seed % (most - 7));
    else if (options->walks)
        avp_generate_walks(&sample, seed, 8 + seed % (most - 7));
    else
        avp_generate(&sample, seed, 8 + seed % (most - 7));
    if (options->values)
        avp_generate_values(&sample, seed);
    if (!compare(&sample, options, &check->tally, fault.why)) {
        report(&sample, seed, &fault);
        return false;
    }
    if (options->program.forever && check->tally.traces % 10000 == 0) {
        print_tally(options, &check->tally, check->start);
        fflush(stdout);
    }
    return true;
}

static int run(const struct options *options) {
    struct check check = {.options = options, .start = program_seconds()};
    if (!program_run(&options->program, check_next, &check))
        return 1;
    print_tally(options, &check.tally, check.start);
    printf("all agree\n");
    return 0;
}

/* ---- the command line ---- */

static bool is_search(const char *name) {
    for (size_t w = 0; w < WAYS; w++)
        if (strncmp(ways[w].name, name, strlen(name)) == 0)
            return true;
    return false;
}

int main(int argc, char **argv) {
    struct options options = {
        .program = {
            .name = "avp-differential",
            .usage =
                "[--seed S] [--count N] [--search NAME] [--large] [--damaged]\n"
                "                        [--lives | --walks] [--values] [--forever] [--verbose]",
            .seed = 1,
            .count = 1000}};
    const struct program_option own[] = {{.name = "--large", .flag = &options.large},
                                         {.name = "--damaged", .flag = &options.damaged},
                                         {.name = "--lives", .flag = &options.lives},
                                         {.name = "--walks", .flag = &options.walks},
                                         {.name = "--values", .flag = &options.values},
                                         {.name = "--search",
                                          .value = &options.search,
                                          .is_valid = is_search,
                                          .needs = "the name of a search"},
                                         {.name = NULL}};
    if (!program_read(&options.program, own, argc, argv))
        return 2;
    program_part = "a search";
    program_watch();
    return run(&options);
}
