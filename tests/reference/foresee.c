/* foresee: compares the analyses of other schedules with the reference on random traces.
 *
 *     foresee [--seed S] [--count N] [--engine NAME] [--fresh | --signals] [--rows] [--overlapping]
 *     [--teams] [--forever] [--verbose]
 *
 * With --fresh, traces have marks of fresh memory, as recordings have; no analysis may miss
 * anything for the sake of them. With --signals, they have hand-overs (signals.h); only the setups
 * that judge conflicts of data are compared then. With --rows, they have rows of variables
 * (rows.h). With --overlapping, they have critical sections that are not nested (overlaps.h). With
 * --teams, they have channels of teams (teams.h), and only such traces count. Trace
 * number i comes from the seed S + i, so a mismatch is reproduced with `--seed <the
 * seed printed> --count 1`. Traces with an interleaving that gets stuck, or with too many
 * interleavings for the reference, are skipped and counted. NAME is an analysis
 * ("blocks") or one of its setups ("blocks exact"). Status 0: no promise is broken; 1: one is, and
 * the smallest trace that shows it is printed; 2: usage, or an analysis does not exist. */
#include "reference/foresight.h"
#include "reference/fresh_memory.h"
#include "reference/generate_units.h"
#include "reference/overlaps.h"
#include "reference/program.h"
#include "reference/rows.h"
#include "reference/shrink.h"
#include "reference/signals.h"
#include "reference/teams.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_SETUPS = 64 };

struct options {
    struct program program;
    const char *engine; /* NULL: all */
    bool fresh, signals, rows, overlapping, teams;
};

/* What was generated, for tuning the generator: a class that is rare is a class untested. */
struct tally {
    uint64_t traces, undecided, stuck, decided; /* traces = undecided + stuck + decided */
    uint64_t events, transactions;
    uint64_t not_conflict, not_view, contended_atomic;
};

/* How good a setup is, for pairs of transactions and for everything else. */
struct quality {
    uint64_t atomic, alarms; /* samples that are atomic, and how many of them were reported */
    uint64_t bad, misses;    /* samples that are not, and how many of them were not reported */
};

struct totals {
    struct tally kinds[UNITS_KINDS];
    struct quality setups[MAX_SETUPS][2]; /* [1]: pairs */
};

/* ---- one mismatch ---- */

struct fault {
    const struct setup *setup;
    uint64_t batches;
    bool overlapping;
    char why[FORESIGHT_TEXT];
};

static void judge(struct atomicity *atomicity, const struct sample *sample) {
    if (signals_are_there(sample))
        signals_check(atomicity, sample, ATOMICITY_STATES);
    else
        atomicity_check(atomicity, sample, ATOMICITY_STATES);
}

/* The sample must stay one that promises are made for. */
static bool shows_fault(const struct sample *sample, void *context) {
    struct fault *fault = context;
    struct atomicity atomicity;
    enum st_verdict said;
    if ((!fault->overlapping && !units_are_nested(sample)) || !fresh_is_right(sample))
        return false;
    judge(&atomicity, sample);
    if (!atomicity.decided || atomicity.deadlock)
        return false;
    struct st_model *model = foresight_model(fault->setup, sample, fault->batches);
    bool kept = foresight_compare(fault->setup, model, sample, &atomicity, &said, fault->why);
    st_model_free(model);
    return !kept;
}

static void report(const struct sample *original, uint64_t seed, struct fault *fault) {
    struct sample sample = *original;
    struct atomicity atomicity;
    printf("seed %" PRIu64 ", %s: %s\n", seed, fault->setup->name, fault->why);
    shrink(&sample, shows_fault, fault);
    shows_fault(&sample, fault);
    printf("shrunk from %zu to %zu events: %s\n", original->count, sample.count, fault->why);
    sample_print(stdout, &sample);
    printf("expected:\n");
    judge(&atomicity, &sample);
    atomicity_print(stdout, &atomicity, &sample);
}

/* ---- all traces ---- */

static void count(struct tally *tally, const struct sample *sample,
                  const struct atomicity *atomicity) {
    bool usable = atomicity->decided && !atomicity->deadlock;
    tally->traces++;
    tally->undecided += !atomicity->decided;
    tally->stuck += atomicity->decided && atomicity->deadlock;
    tally->decided += usable;
    if (!usable)
        return;
    tally->events += sample->count;
    tally->transactions += atomicity->units.transaction_count;
    tally->not_conflict += !atomicity->conflict.atomic;
    tally->not_view += !atomicity->view.atomic;
    tally->contended_atomic += atomicity->conflict.atomic && atomicity->conflict.contended;
}

static bool is_named(const struct setup *setup, const char *name) {
    return strcmp(name, setup->predictor) == 0 || strcmp(name, setup->name) == 0;
}

static bool is_chosen(const struct options *options, const struct setup *setup) {
    return !options->engine || is_named(setup, options->engine);
}

static void count_quality(struct quality *quality, bool is_atomic, enum st_verdict said) {
    quality->atomic += is_atomic;
    quality->alarms += is_atomic && said != ST_SERIALIZABLE;
    quality->bad += !is_atomic;
    quality->misses += !is_atomic && said == ST_SERIALIZABLE;
}

/* True when no analysis breaks a promise. */
static bool check_sample(const struct options *options, const struct sample *sample,
                         const struct atomicity *atomicity, struct totals *totals) {
    bool pair = units_are_a_pair(&atomicity->units, sample), all_kept = true;
    struct fault fault = {.batches = program_seed, .overlapping = options->overlapping};
    struct st_model *model = NULL;
    for (size_t s = 0; setups[s].name && all_kept; s++) {
        const struct setup *setup = &setups[s];
        if (!is_chosen(options, setup) || !setup_predictor(setup))
            continue;
        if (options->signals && (setup->options.relation != ST_DATA || setup->by_view))
            continue;
        if (!fault.setup || !setups_share_model(fault.setup, setup)) {
            st_model_free(model);
            model = foresight_model(setup, sample, fault.batches);
        }
        fault.setup = setup;
        program_part = setup->name;
        enum st_verdict said;
        all_kept = foresight_compare(setup, model, sample, atomicity, &said, fault.why);
        count_quality(&totals->setups[s][pair], setup_expects(setup, atomicity)->atomic, said);
    }
    st_model_free(model);
    if (!all_kept)
        report(sample, program_seed, &fault);
    return all_kept;
}

static bool check_seed(const struct options *options, uint64_t seed, struct totals *totals) {
    struct sample sample;
    struct atomicity atomicity;
    program_part = "the reference";
    enum unit_kind kind = generate_units(&sample, seed);
    if (options->overlapping && !overlaps_add(&sample, &(struct chance){seed}))
        return true;
    if (options->teams && !teams_add(&sample, &(struct chance){seed}))
        return true;
    if (options->fresh && seed % 4 == 0)
        fresh_plant(&sample, &(struct chance){seed});
    if (options->fresh && !fresh_mark(&sample, &(struct chance){seed}))
        return true;
    if (options->signals && !signals_add(&sample, &(struct chance){seed}))
        return true;
    if (options->rows && !rows_add(&sample, &(struct chance){seed}, SAMPLE_EVENTS))
        return true;
    judge(&atomicity, &sample);
    count(&totals->kinds[kind], &sample, &atomicity);
    if (!atomicity.decided || atomicity.deadlock)
        return true;
    return check_sample(options, &sample, &atomicity, totals);
}

/* ---- what came of it ---- */

static double share(uint64_t part, uint64_t whole) {
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_tally(const char *name, const struct tally *tally) {
    double n = tally->decided ? (double)tally->decided : 1;
    printf("%-12s %8" PRIu64 " traces, left out: stuck %4.1f%%, too large %4.1f%%; %4.1f events, "
           "%3.1f transactions each; not conflict-atomic %4.1f%%, not view-atomic %4.1f%%, notions "
           "differ %4.1f%%, atomic and contended %4.1f%%\n",
           name, tally->traces, share(tally->stuck, tally->traces),
           share(tally->undecided, tally->traces), (double)tally->events / n,
           (double)tally->transactions / n, share(tally->not_conflict, tally->decided),
           share(tally->not_view, tally->decided),
           share(tally->not_conflict - tally->not_view, tally->decided),
           share(tally->contended_atomic, tally->decided));
}

static struct tally add_up(const struct tally *tallies) {
    struct tally all = {0};
    for (int kind = 0; kind < UNITS_KINDS; kind++) {
        const struct tally *tally = &tallies[kind];
        all.traces += tally->traces;
        all.undecided += tally->undecided;
        all.stuck += tally->stuck;
        all.decided += tally->decided;
        all.events += tally->events;
        all.transactions += tally->transactions;
        all.not_conflict += tally->not_conflict;
        all.not_view += tally->not_view;
        all.contended_atomic += tally->contended_atomic;
    }
    return all;
}

static void print_qualities(const struct options *options, const struct totals *totals) {
    printf("%-32s %24s %24s\n", "", "pairs of transactions", "others");
    printf("%-32s %12s %11s %12s %11s\n", "", "false alarms", "misses", "false alarms", "misses");
    for (size_t s = 0; setups[s].name; s++) {
        const struct quality *others = &totals->setups[s][0], *pairs = &totals->setups[s][1];
        if (is_chosen(options, &setups[s]) && setup_predictor(&setups[s]))
            printf("%-32s %11.1f%% %10.1f%% %11.1f%% %10.1f%%\n", setups[s].name,
                   share(pairs->alarms, pairs->atomic), share(pairs->misses, pairs->bad),
                   share(others->alarms, others->atomic), share(others->misses, others->bad));
    }
}

/* The status: an analysis that does not exist has not passed. */
static int summarise(const struct options *options, const struct totals *totals, double took) {
    struct tally all = add_up(totals->kinds);
    size_t there = 0, missing = 0;
    if (options->program.verbose) {
        for (int kind = 0; kind < UNITS_KINDS; kind++)
            print_tally(unit_kind_name((enum unit_kind)kind), &totals->kinds[kind]);
        print_tally("all", &all);
        print_qualities(options, totals);
        printf("%.0f traces a second\n", (double)all.traces / took);
    }
    for (size_t s = 0; setups[s].name; s++) {
        if (!is_chosen(options, &setups[s]))
            continue;
        if (!setup_predictor(&setups[s]))
            printf("%s: not there\n", setups[s].name);
        there += setup_predictor(&setups[s]) != NULL;
        missing += setup_predictor(&setups[s]) == NULL;
    }
    printf("%" PRIu64 " traces (%" PRIu64 " left out), %zu setups, %zu not there: no promise is "
           "broken\n",
           all.traces, all.stuck + all.undecided, there, missing);
    return missing ? 2 : 0;
}

struct check {
    const struct options *options;
    struct totals totals;
};

static bool check_next(void *context, uint64_t seed) {
    struct check *check = context;
    return check_seed(check->options, seed, &check->totals);
}

static int run(const struct options *options) {
    static struct check check;
    double start = program_seconds();
    check.options = options;
    if (!program_run(&options->program, check_next, &check))
        return 1;
    return summarise(options, &check.totals, program_seconds() - start);
}

/* ---- the command line ---- */

static bool is_known(const char *name) {
    for (const struct setup *setup = setups; setup->name; setup++)
        if (is_named(setup, name))
            return true;
    return false;
}

int main(int argc, char **argv) {
    struct options options = {
        .program = {.name = "foresee",
                    .usage =
                        "[--seed S] [--count N] [--engine NAME] [--fresh | --signals] [--rows] "
                        "[--overlapping] [--teams] [--forever] [--verbose]",
                    .seed = 1,
                    .count = 20000}};
    const struct program_option own[] = {{.name = "--engine",
                                          .value = &options.engine,
                                          .is_valid = is_known,
                                          .needs = "the name of an analysis or of a setup"},
                                         {.name = "--fresh", .flag = &options.fresh},
                                         {.name = "--signals", .flag = &options.signals},
                                         {.name = "--rows", .flag = &options.rows},
                                         {.name = "--overlapping", .flag = &options.overlapping},
                                         {.name = "--teams", .flag = &options.teams},
                                         {.name = NULL}};
    if (!program_read(&options.program, own, argc, argv))
        return 2;
    program_watch();
    return run(&options);
}
