/* differential: compares all engines with the reference on random traces.
 *
 *     differential [--seed S] [--count N] [--engine NAME] [--forever] [--verbose]
 *                  [--damaged] [--deferred] [--lives] [--races]
 *
 * Each trace is checked by both relations, `locks` and `data`.
 *
 * Trace number i comes from the seed S + i, so a mismatch is reproduced with `--seed <the seed
 * printed> --count 1`. With --damaged the traces are malformed ones after repair,
 * as `check --repair` shows them to engines. With --deferred only witness is compared, which then
 * gets accesses deferred, as `run` defers them. With --lives variables share numbers, one after the
 * other, as those of a recording do, also together with --races or --damaged. With --races the
 * search for data races is compared, instead of engines, and some accesses are atomic. Status 0:
 * all agree; 1: a mismatch, printed with the smallest trace that shows it; 2: usage. */
#include "reference/algorithm1.h"
#include "reference/compare.h"
#include "reference/generate.h"
#include "reference/lives.h"
#include "reference/deferred.h"
#include "reference/program.h"
#include "reference/racing.h"
#include "reference/shrink.h"

#include <inttypes.h>

/* Seconds of processor time for a thousand traces before an engine counts as hanging. */
enum { PATIENCE = 30 };

struct options {
    struct program program;
    const struct st_engine *engine; /* NULL: all */
    bool damaged, deferred, lives, races;
};

/* What was generated, for tuning the generator: a rare class is an untested class. */
struct tally {
    uint64_t traces, events, bad, without_violation, late, truncated, nested, silent, messages;
};

/* ---- one mismatch ---- */

/* The engine is NULL if the two references differ from each other, or for data races. */
struct fault {
    const struct st_engine *engine;
    bool deferred, races;
    uint64_t batches, sharing;
    char why[COMPARE_TEXT];
};

static bool shows_fault(const struct sample *sample, void *context) {
    struct fault *fault = context;
    struct reference reference;
    if (fault->races)
        return !racing_compare(sample, fault->batches, fault->sharing, fault->why,
                               sizeof fault->why);
    reference_check(&reference, sample);
    if (!fault->engine)
        return !compare_algorithm1(sample, &reference, fault->why);
    if (fault->deferred)
        return !compare_deferred(sample, &reference, fault->batches, fault->why);
    return !compare_engine(fault->engine, sample, &reference, fault->batches, fault->sharing,
                           fault->why);
}

static void report(const struct sample *original, uint64_t seed, struct fault *fault) {
    struct sample sample = *original;
    struct reference reference;
    printf("seed %" PRIu64 ", %s, --%s: %s\n", seed,
           fault->engine ? fault->engine->name : "the references",
           st_relation_name(sample.relation), fault->why);
    shrink(&sample, shows_fault, fault);
    shows_fault(&sample, fault);
    reference_check(&reference, &sample);
    printf("shrunk from %zu to %zu events: %s\n", original->count, sample.count, fault->why);
    if (sample.repair)
        printf("(to be repaired)\n");
    sample_print(stdout, &sample);
    printf("expected:\n");
    reference_print(stdout, &reference);
    printf("  Algorithm 1 reports at %u\n", algorithm1_report(&sample));
    if (fault->engine) {
        printf(fault->deferred ? "without deferred accesses:\n" : "actual:\n");
        compare_print_findings(stdout, fault->engine, &sample, fault->sharing);
    }
}

static void report_races(const struct sample *original, uint64_t seed, struct fault *fault) {
    struct sample sample = *original;
    struct racing racing;
    printf("seed %" PRIu64 ", races: %s\n", seed, fault->why);
    shrink(&sample, shows_fault, fault);
    shows_fault(&sample, fault);
    printf("shrunk from %zu to %zu events: %s\n", original->count, sample.count, fault->why);
    if (sample.repair)
        printf("(to be repaired)\n");
    sample_print(stdout, &sample);
    printf("expected:\n");
    racing_check(&racing, &sample);
    racing_print(stdout, &racing, &sample);
}

/* ---- all traces ---- */

static bool is_truncated(const struct sample *sample) {
    int open = 0;
    for (size_t i = 0; i < sample->count; i++)
        open += (sample->events[i].written == ST_BEGIN) - (sample->events[i].written == ST_END) +
                (sample->events[i].written == ST_ACQUIRE) -
                (sample->events[i].written == ST_RELEASE);
    return open > 0;
}

static bool joins_silent_child(const struct sample *sample) {
    bool has_events[SAMPLE_THREADS] = {false}, found = false;
    for (size_t i = 0; i < sample->count; i++) {
        const struct st_event *event = &sample->events[i];
        has_events[event->thread] = true;
        found |= event->op == ST_JOIN && !has_events[event->target];
    }
    return found;
}

/* Does a thread receive what another thread sent? */
static bool has_messages(const struct sample *sample) {
    for (size_t from = 0; from < sample->count; from++)
        for (size_t to = from + 1; to < sample->count; to++)
            if (reference_depends(&sample->events[from], &sample->events[to], ST_EDGE_SYNC))
                return true;
    return false;
}

static void count(struct tally *tally, const struct sample *sample,
                  const struct reference *reference) {
    bool violated = false, nested = false;
    for (size_t b = 0; b < reference->block_count; b++) {
        violated |= reference->blocks[b].violated_at != 0;
        nested |= reference->blocks[b].depth > 0;
    }
    tally->traces++;
    tally->events += sample->count;
    tally->bad += !reference->serializable;
    tally->without_violation += !reference->serializable && !violated;
    tally->late += reference->aerodrome > reference->first_bad;
    tally->truncated += is_truncated(sample);
    tally->nested += nested;
    tally->silent += joins_silent_child(sample);
    tally->messages += has_messages(sample);
}

static void print_tally(const char *name, const struct tally *tally) {
    double n = tally->traces ? (double)tally->traces : 1;
    printf("%-10s %8" PRIu64 " traces, %4.1f events each; not serializable %4.1f%%, without "
           "violated block %4.1f%%, AeroDrome late %4.1f%%; truncated %4.1f%%, nested %4.1f%%, "
           "silent child %4.1f%%, messages %4.1f%%\n",
           name, tally->traces, (double)tally->events / n, 100.0 * (double)tally->bad / n,
           100.0 * (double)tally->without_violation / n, 100.0 * (double)tally->late / n,
           100.0 * (double)tally->truncated / n, 100.0 * (double)tally->nested / n,
           100.0 * (double)tally->silent / n, 100.0 * (double)tally->messages / n);
}

static bool check_races(const struct options *options, uint64_t seed) {
    struct sample sample;
    struct fault fault = {.races = true, .batches = seed, .sharing = options->lives ? seed : 0};
    program_part = "the search for races";
    if (options->damaged)
        generate_damaged(&sample, seed);
    else
        generate(&sample, seed);
    if (options->lives)
        lives_cut(&sample, seed);
    racing_mark_atomic(&sample, seed);
    if (!shows_fault(&sample, &fault))
        return true;
    report_races(&sample, seed, &fault);
    return false;
}

/* Does the program look at this engine? What is as published has errors. */
static bool is_concerned(const struct options *options, const struct st_engine *engine) {
    return !engine->published_form_of && (!options->engine || engine == options->engine);
}

static bool check_engines(const struct options *options, uint64_t seed, const struct sample *sample,
                          struct fault *fault, const struct st_engine *const *engines) {
    for (; *engines; engines++) {
        if (!is_concerned(options, *engines))
            continue;
        fault->engine = *engines;
        program_part = (*engines)->name;
        if (shows_fault(sample, fault)) {
            report(sample, seed, fault);
            return false;
        }
    }
    return true;
}

/* True if all agree on the sample, by its relation. */
static bool check_sample(const struct options *options, uint64_t seed, const struct sample *sample,
                         struct tally *tally) {
    struct reference reference;
    struct fault fault = {.engine = NULL,
                          .deferred = options->deferred,
                          .batches = seed,
                          .sharing = options->lives ? seed : 0};
    program_part = "the reference";
    reference_check(&reference, sample);
    if (options->program.verbose)
        count(tally, sample, &reference);
    if (!compare_algorithm1(sample, &reference, fault.why)) {
        report(sample, seed, &fault);
        return false;
    }
    return check_engines(options, seed, sample, &fault, st_engines) &&
           check_engines(options, seed, sample, &fault, st_other_engines);
}

/* True if all agree on the trace of this seed, by both relations. */
static bool check_seed(const struct options *options, uint64_t seed, struct tally *tallies) {
    struct sample sample;
    program_part = "the reference";
    enum kind kind = options->damaged ? generate_damaged(&sample, seed) : generate(&sample, seed);
    if (options->lives)
        lives_cut(&sample, seed);
    if (!check_sample(options, seed, &sample, &tallies[kind]))
        return false;
    sample.relation = ST_DATA;
    return check_sample(options, seed, &sample, &tallies[KIND_COUNT]);
}

static void print_tallies(const struct tally *tallies) {
    struct tally all = {0};
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        const struct tally *tally = &tallies[kind];
        print_tally(kind_name((enum kind)kind), tally);
        all.traces += tally->traces;
        all.events += tally->events;
        all.bad += tally->bad;
        all.without_violation += tally->without_violation;
        all.late += tally->late;
        all.truncated += tally->truncated;
        all.nested += tally->nested;
        all.silent += tally->silent;
        all.messages += tally->messages;
    }
    print_tally("all", &all);
    print_tally("by data", &tallies[KIND_COUNT]);
}

static size_t engine_count(const struct options *options) {
    size_t count = 0;
    for (size_t i = 0; st_engines[i]; i++)
        count += is_concerned(options, st_engines[i]);
    for (size_t i = 0; st_other_engines[i]; i++)
        count += is_concerned(options, st_other_engines[i]);
    return count;
}

struct check {
    const struct options *options;
    struct tally tallies[KIND_COUNT + 1]; /* the last one: of all kinds, by `data` */
};

static bool check_next(void *context, uint64_t seed) {
    struct check *check = context;
    const struct options *options = check->options;
    if ((seed - options->program.seed) % 1000 == 0)
        program_be_patient_for(PATIENCE);
    return options->races ? check_races(options, seed) : check_seed(options, seed, check->tallies);
}

static int run(const struct options *options) {
    struct check check = {.options = options};
    uint64_t traces = options->program.count;
    double start = program_seconds();
    if (!program_run(&options->program, check_next, &check))
        return 1;
    if (options->races) {
        printf("%" PRIu64 " traces with %" PRIu64 " accesses, of which %.1f%% race and %.1f%% are "
               "atomic, and %" PRIu64 " conflicts: all agree\n",
               traces, racing_tally.accesses,
               100.0 * (double)racing_tally.races / (double)racing_tally.accesses,
               100.0 * (double)racing_tally.atomic / (double)racing_tally.accesses,
               racing_tally.conflicts);
        return 0;
    }
    if (options->program.verbose) {
        print_tallies(check.tallies);
        printf("%.0f traces a second\n", (double)traces / (program_seconds() - start));
    }
    if (compare_paths.count)
        printf("%" PRIu64 " paths with %" PRIu64 " edges; %" PRIu64
               " would do, since %.2f%% of the paths are longer than need be\n",
               compare_paths.count, compare_paths.edges, compare_paths.shortest,
               100.0 * (double)compare_paths.longer / (double)compare_paths.count);
    if (options->deferred)
        printf("%" PRIu64 " accesses: %.1f%% at once, %.1f%% deferred, the others never; %" PRIu64
               " times one was dead, %" PRIu64 " reads forgotten\n",
               deferred_tally.accesses,
               100.0 * (double)deferred_tally.eager / (double)deferred_tally.accesses,
               100.0 * (double)deferred_tally.deferred / (double)deferred_tally.accesses,
               deferred_tally.dead, deferred_tally.forgotten);
    printf("%" PRIu64 " traces, %zu engines: all agree\n", traces, engine_count(options));
    return 0;
}

/* ---- the command line ---- */

static bool is_engine(const char *name) {
    const struct st_engine *engine = st_engine_find(name);
    return engine && !engine->published_form_of;
}

int main(int argc, char **argv) {
    const char *engine = NULL;
    struct options options = {
        .program = {.name = "differential",
                    .usage = "[--seed S] [--count N] [--engine NAME] [--forever] [--verbose]\n"
                             "                    [--damaged] [--deferred] [--lives] [--races]",
                    .seed = 1,
                    .count = 20000}};
    const struct program_option own[] = {{.name = "--damaged", .flag = &options.damaged},
                                         {.name = "--deferred", .flag = &options.deferred},
                                         {.name = "--lives", .flag = &options.lives},
                                         {.name = "--races", .flag = &options.races},
                                         {.name = "--engine",
                                          .value = &engine,
                                          .is_valid = is_engine,
                                          .needs = "the name of an engine"},
                                         {.name = NULL}};
    if (!program_read(&options.program, own, argc, argv))
        return 2;
    if (options.deferred)
        engine = "witness";
    options.engine = engine ? st_engine_find(engine) : NULL;
    program_watch();
    return run(&options);
}
