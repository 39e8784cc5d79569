/* Engines as published (src/check/published), against the reference and what they are known to do.
 *
 * They have errors, so they cannot be held to the verdict. But each keeps a promise, which shows
 * that the errors are those of the paper and not ours:
 * - aerodrome-basic reports exactly where a second transcription of Algorithm 1 does;
 * - aerodrome-reads never reports earlier than that, nor where it does not;
 * - regiontrack-printed names exactly the violated outermost blocks;
 * - velodrome-rapid has no false alarms, and is exact where no thread is forked or joined.
 *
 * With --smallest the program searches for the smallest trace on which each of them is wrong, in
 * each way in which it can be, with operations that the paper knows, and prints them: those in
 * tests/traces/published came from it. */
#include "reference/algorithm1.h"
#include "reference/generate.h"
#include "reference/program.h"
#include "reference/reference.h"
#include "reference/shrink.h"

#include "check/engine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 30, ENGINES = 8 };

enum error { FALSE_ALARM, MISS, OTHER_EVENT, ERROR_COUNT };

static const char *const error_names[] = {
    [FALSE_ALARM] = "false alarm", [MISS] = "missed", [OTHER_EVENT] = "another first bad event"};

struct options {
    struct program program;
    bool damaged, smallest;
    const char *engine;
};

static void run_engine(const struct st_engine *engine, const struct sample *sample,
                       struct st_findings *findings) {
    struct st_event events[SAMPLE_EVENTS];
    sample_feed(sample, events);
    st_findings_init(findings, 0);
    void *state = engine->create(findings);
    for (size_t i = 0, count; i < sample->count; i += count) { /* so that tables grow on the way */
        count = sample->count - i < 3 ? sample->count - i : 3;
        engine->feed(state, events + i, count, i + 1);
    }
    engine->finish(state, sample->count);
    engine->memory(state);
    engine->destroy(state);
}

/* ---- promises ---- */

static unsigned report_of(const char *engine, const struct sample *sample) {
    struct st_findings findings;
    run_engine(st_engine_find(engine), sample, &findings);
    unsigned event = (unsigned)findings.first_bad_event;
    st_findings_free(&findings);
    return event;
}

static bool forks_or_joins(const struct sample *sample) {
    for (size_t i = 0; i < sample->count; i++)
        if (sample->events[i].op == ST_FORK || sample->events[i].op == ST_JOIN)
            return true;
    return false;
}

static const char *check_aerodrome(const struct sample *sample) {
    unsigned printed = algorithm1_as_printed(sample), basic = report_of("aerodrome-basic", sample);
    unsigned reads = report_of("aerodrome-reads", sample);
    if (basic != printed)
        return "aerodrome-basic is not Algorithm 1";
    if (reads && (!printed || reads < printed))
        return "aerodrome-reads reports what Algorithm 1 does not";
    return NULL;
}

static bool is_reported(const struct st_findings *findings, unsigned begin, unsigned event) {
    for (size_t i = 0; i < findings->kept; i++)
        if (findings->violations[i].begin == begin && findings->violations[i].event.number == event)
            return true;
    return false;
}

static const char *check_regiontrack(const struct sample *sample,
                                     const struct reference *reference) {
    struct st_findings findings;
    const char *wrong = NULL;
    size_t violated = 0;
    run_engine(st_engine_find("regiontrack-printed"), sample, &findings);
    for (size_t b = 0; b < reference->block_count; b++) {
        const struct reference_block *block = &reference->blocks[b];
        if (block->depth || !block->violated_at)
            continue;
        violated++;
        if (!is_reported(&findings, block->begin, block->violated_at))
            wrong = "regiontrack-printed misses a violated block";
    }
    if (!wrong && findings.kept != violated)
        wrong = "regiontrack-printed names a block that is not violated";
    st_findings_free(&findings);
    return wrong;
}

static const char *check_velodrome(const struct sample *sample, const struct reference *reference) {
    unsigned event = report_of("velodrome-rapid", sample);
    if (event && (reference->serializable || event < reference->first_bad))
        return "velodrome-rapid has a false alarm";
    if (event != reference->first_bad && !forks_or_joins(sample))
        return "velodrome-rapid misses a cycle without fork and join";
    return NULL;
}

static bool breaks_promise(const struct sample *sample, void *context) {
    const char **wrong = context;
    struct reference reference;
    reference_check(&reference, sample);
    *wrong = check_aerodrome(sample);
    if (!*wrong)
        *wrong = check_regiontrack(sample, &reference);
    if (!*wrong)
        *wrong = check_velodrome(sample, &reference);
    return *wrong != NULL;
}

static bool keeps_promises(const struct sample *original, uint64_t seed) {
    const char *wrong;
    if (!breaks_promise(original, &wrong))
        return true;
    struct sample sample = *original;
    shrink(&sample, breaks_promise, &wrong);
    breaks_promise(&sample, &wrong);
    printf("seed %" PRIu64 ", --%s: %s\n", seed, st_relation_name(sample.relation), wrong);
    sample_print(stdout, &sample);
    return false;
}

/* ---- the smallest traces ---- */

struct search {
    const struct st_engine *engine;
    enum error error;
};

/* Does the paper know all operations of the sample? None has channels, and that of RegionTrack
 * neither fork nor join. */
static bool is_in_paper(const struct st_engine *engine, const struct sample *sample) {
    bool forks = strcmp(engine->published_form_of, "regiontrack") != 0;
    for (size_t i = 0; i < sample->count; i++) {
        enum st_op op = (enum st_op)sample->events[i].op;
        if (op == ST_SEND || op == ST_RECEIVE || (!forks && (op == ST_FORK || op == ST_JOIN)))
            return false;
    }
    return true;
}

static bool shows_error(const struct sample *sample, void *context) {
    const struct search *search = context;
    struct reference reference;
    if (!is_in_paper(search->engine, sample))
        return false;
    reference_check(&reference, sample);
    unsigned event = report_of(search->engine->name, sample);
    /* AeroDrome reports late by design. */
    unsigned expected = strcmp(search->engine->published_form_of, "aerodrome") == 0
                            ? reference.aerodrome
                            : reference.first_bad;
    if (search->error == FALSE_ALARM)
        return event && !expected;
    if (search->error == MISS)
        return !event && expected;
    return event && expected && event != expected;
}

struct smallest {
    struct sample samples[ENGINES][ERROR_COUNT];
    uint64_t times[ENGINES][ERROR_COUNT]; /* how often it was seen; more are not made smaller */
};

static void look_for_smallest(struct smallest *smallest, const char *engine,
                              const struct sample *original) {
    enum { ENOUGH = 500 };
    for (size_t i = 0; st_other_engines[i]; i++)
        for (int error = 0; error < ERROR_COUNT; error++) {
            struct search search = {st_other_engines[i], (enum error)error};
            struct sample sample = *original, *best = &smallest->samples[i][error];
            if (!search.engine->published_form_of ||
                (engine && strcmp(engine, search.engine->name) != 0) ||
                !shows_error(&sample, &search) || ++smallest->times[i][error] > ENOUGH)
                continue;
            shrink(&sample, shows_error, &search);
            if (!best->count || sample.count < best->count)
                *best = sample;
        }
}

static void print_smallest(const struct smallest *smallest) {
    for (size_t i = 0; st_other_engines[i]; i++)
        for (int error = 0; error < ERROR_COUNT; error++) {
            const struct sample *sample = &smallest->samples[i][error];
            if (!smallest->times[i][error])
                continue;
            printf("%s, %s: %" PRIu64 " traces\n", st_other_engines[i]->name, error_names[error],
                   smallest->times[i][error]);
            sample_print(stdout, sample);
        }
}

/* ---- all traces ---- */

struct check {
    const struct options *options;
    struct smallest smallest;
};

static bool check_next(void *context, uint64_t seed) {
    struct check *check = context;
    const struct options *options = check->options;
    struct sample sample;
    if ((seed - options->program.seed) % 1000 == 0)
        program_be_patient_for(PATIENCE);
    program_part = "the engines as published";
    if (options->damaged)
        generate_damaged(&sample, seed);
    else
        generate(&sample, seed);
    if (options->smallest) {
        look_for_smallest(&check->smallest, options->engine, &sample);
        return true;
    }
    if (!keeps_promises(&sample, seed))
        return false;
    sample.relation = ST_DATA;
    return keeps_promises(&sample, seed);
}

static bool is_published(const char *name) {
    const struct st_engine *engine = st_engine_find(name);
    return engine && engine->published_form_of;
}

int main(int argc, char **argv) {
    struct options options = {.program = {.name = "published-differential",
                                          .usage = "[--seed S] [--count N] [--forever] [--damaged] "
                                                   "[--smallest [--engine NAME]]",
                                          .seed = 1,
                                          .count = 20000}};
    const struct program_option own[] = {{.name = "--damaged", .flag = &options.damaged},
                                         {.name = "--smallest", .flag = &options.smallest},
                                         {.name = "--engine",
                                          .value = &options.engine,
                                          .is_valid = is_published,
                                          .needs = "the name of an engine as published"},
                                         {.name = NULL}};
    static struct check check;
    if (!program_read(&options.program, own, argc, argv))
        return 2;
    check.options = &options;
    program_watch();
    if (!program_run(&options.program, check_next, &check))
        return 1;
    if (options.smallest)
        print_smallest(&check.smallest);
    else
        printf("%" PRIu64 " traces: engines as published keep their promises\n",
               options.program.count);
    return 0;
}
