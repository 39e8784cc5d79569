#include "reference/compare.h"

#include "reference/algorithm1.h"
#include "reference/evidence.h"
#include "reference/generate.h"
#include "reference/deferred.h"
#include "reference/lives.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum first_bad {
    FIRST_BAD_UNCHECKED,
    FIRST_BAD_EXACT,
    FIRST_BAD_AERODROME, /* where AeroDrome reports, which may be later */
};

enum blocks {
    BLOCKS_UNCHECKED,
    BLOCKS_NONE,
    BLOCKS_BLAMED,    /* all violated outermost blocks, and perhaps innocent ones */
    BLOCKS_SOME,      /* violated outermost blocks, not all of them */
    BLOCKS_OUTERMOST, /* exactly the violated outermost blocks */
    BLOCKS_ALL,       /* exactly the violated blocks at every depth */
};

/* What engines promise. An engine that is not listed promises only the verdict. */
struct promise {
    const char *name;
    enum first_bad first_bad;
    enum blocks blocks;
    bool evidence; /* each violation has a path, and a bad trace without violations a cycle */
};

static const struct promise *promise_of(const char *name) {
    static const struct promise promises[] = {
        {"witness", FIRST_BAD_EXACT, BLOCKS_ALL, true},
        {"velodrome", FIRST_BAD_EXACT, BLOCKS_SOME, false},
        {"aerodrome", FIRST_BAD_AERODROME, BLOCKS_NONE, false},
        {"regiontrack", FIRST_BAD_EXACT, BLOCKS_OUTERMOST, false},
        {"rt-trace", FIRST_BAD_EXACT, BLOCKS_NONE, false},
        {"doublechecker", FIRST_BAD_EXACT, BLOCKS_BLAMED, false},
        {NULL, FIRST_BAD_UNCHECKED, BLOCKS_UNCHECKED, false},
    };
    const struct promise *promise = promises;
    while (promise->name && strcmp(promise->name, name) != 0)
        promise++;
    return promise;
}

static bool __attribute__((format(printf, 2, 3))) differs(char *why, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, COMPARE_TEXT, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- running ---- */

/* With threads numbered 0, 3, 6, ... the clocks of an engine must grow in mid-trace. All numbers
 * stay below 64: from there on witness keeps the other one of two reads that are alike. */
enum { SPREAD = 3 };

static void spread_threads(struct st_event *event) {
    event->thread *= SPREAD;
    if (event->written == ST_FORK || event->written == ST_JOIN)
        event->target *= SPREAD;
}

static void gather_threads(struct st_event *event) {
    event->thread /= SPREAD;
    if (event->written == ST_FORK || event->written == ST_JOIN)
        event->target /= SPREAD;
}

static void gather_edges(struct st_edge *edges, size_t count) {
    for (size_t i = 0; i < count; i++) {
        gather_threads(&edges[i].from.event);
        gather_threads(&edges[i].to.event);
    }
}

static void gather_findings(struct st_findings *findings) {
    gather_edges(findings->cycle, findings->cycle_length);
    for (size_t i = 0; i < findings->kept; i++) {
        struct st_violation *violation = &findings->violations[i];
        violation->thread /= SPREAD;
        gather_threads(&violation->event.event);
        gather_edges(violation->path, violation->path_length);
        gather_edges(&violation->closing, 1);
    }
}

/* Up to the next life that ends, from event i on, whose ends were seen to. */
static size_t events_until_end(const struct lives *lives, const struct sample *sample, size_t i) {
    size_t count = 1;
    while (i + count < sample->count && !lives->ended[i + count])
        count++;
    return count;
}

static void forget(const struct st_engine *engine, void *state, uint64_t ended) {
    for (uint32_t n = 0; ended >> n; n++) {
        if (ended >> n & 1)
            engine->forget(state, n);
        if (n == 63)
            break;
    }
}

/* Feeds the sample in one batch, or (with `batches`) in small ones with spread threads. Variables
 * share numbers as `sharing` decides, unless it is 0. */
static void run(const struct st_engine *engine, const struct sample *sample, uint64_t sharing,
                struct st_findings *findings, struct chance *batches) {
    struct st_event events[SAMPLE_EVENTS];
    struct lives lives;
    sample_feed(sample, events);
    lives_share(&lives, sample, events, sharing);
    st_findings_init(findings, 0);
    void *state = engine->create(findings);
    for (size_t i = 0; i < sample->count;) {
        size_t count = events_until_end(&lives, sample, i);
        forget(engine, state, lives.ended[i]);
        /* A separate copy for each batch: if an engine keeps a pointer into the events it was fed,
         * the sanitizers find it, and without them the overwriting does. */
        struct st_event batch[SAMPLE_EVENTS];
        memcpy(batch, &lives.events[i], count * sizeof batch[0]);
        if (batches) {
            size_t small = 1 + chance_below(batches, 4);
            count = small < count ? small : count;
            for (size_t j = 0; j < count; j++)
                spread_threads(&batch[j]);
        }
        engine->feed(state, batch, count, i + 1);
        memset(batch, 0xff, sizeof batch);
        i += count;
    }
    engine->finish(state, sample->count);
    engine->memory(state);
    engine->destroy(state);
    if (batches)
        gather_findings(findings);
    if (sharing)
        lives_restore_findings(&lives, sample, findings);
}

/* ---- findings against the reference ---- */

static bool check_verdict(const struct promise *promise, const struct st_findings *findings,
                          const struct reference *reference, char *why) {
    enum st_verdict verdict = reference->serializable ? ST_SERIALIZABLE : ST_NOT_SERIALIZABLE;
    if (findings->verdict != verdict)
        return differs(why, "the verdict is wrong: the trace is %sserializable",
                       reference->serializable ? "" : "not ");
    if (promise->first_bad == FIRST_BAD_UNCHECKED)
        return true;
    unsigned expected =
        promise->first_bad == FIRST_BAD_AERODROME ? reference->aerodrome : reference->first_bad;
    if (findings->first_bad_event != expected)
        return differs(why, "the first bad event is %" PRIu64 " instead of %u",
                       findings->first_bad_event, expected);
    return true;
}

static const struct reference_block *block_with_begin(const struct reference *reference,
                                                      uint64_t begin) {
    for (size_t b = 0; b < reference->block_count; b++)
        if (reference->blocks[b].begin == begin)
            return &reference->blocks[b];
    return NULL;
}

/* Does the violation name a block that exists, with its end, thread, depth and name? */
static bool check_block(const struct st_violation *violation, const struct sample *sample,
                        const struct reference *reference, char *why) {
    const struct reference_block *block = block_with_begin(reference, violation->begin);
    if (!block)
        return differs(why, "no block begins at %" PRIu64, violation->begin);
    const struct st_event *begin = &sample->events[block->begin - 1];
    if (violation->end != block->end)
        return differs(why, "the block that begins at %u ends at %u, not %" PRIu64, block->begin,
                       block->end, violation->end);
    if (violation->thread != block->thread || violation->depth != block->depth)
        return differs(why, "the block that begins at %u has thread %u and depth %u, not %u and %u",
                       block->begin, block->thread, block->depth, violation->thread,
                       violation->depth);
    if (violation->block != begin->target || violation->begin_loc != begin->loc)
        return differs(why, "the block that begins at %u has another name or location",
                       block->begin);
    if (!evidence_place(&violation->event, sample) ||
        violation->event.event.thread != block->thread || violation->event.number <= block->begin ||
        (block->end && violation->event.number > block->end))
        return differs(why, "event %" PRIu64 " is not of the block that begins at %u",
                       violation->event.number, block->begin);
    return true;
}

static bool check_violation(const struct promise *promise, const struct st_violation *violation,
                            const struct reference *reference, char *why) {
    const struct reference_block *block = block_with_begin(reference, violation->begin);
    if (promise->blocks != BLOCKS_ALL && block->depth > 0)
        return differs(why, "the block that begins at %u is not outermost", block->begin);
    if (promise->blocks == BLOCKS_BLAMED)
        return !block->violated_at || violation->event.number <= block->violated_at ||
               differs(why, "the block that begins at %u is violated at %u, but blamed later",
                       block->begin, block->violated_at);
    if (!block->violated_at)
        return differs(why, "the block that begins at %u is not violated", block->begin);
    bool early = violation->event.number < block->violated_at;
    bool late = violation->event.number > block->violated_at;
    if (early || (late && promise->blocks != BLOCKS_SOME))
        return differs(why,
                       "the violation of the block that begins at %u is proved by event %u, "
                       "not %" PRIu64,
                       block->begin, block->violated_at, violation->event.number);
    return true;
}

static size_t times_reported(const struct st_findings *findings, uint64_t begin) {
    size_t times = 0;
    for (size_t i = 0; i < findings->kept; i++)
        times += findings->violations[i].begin == begin;
    return times;
}

/* Nothing twice, and nothing missing that was promised. */
static bool check_completeness(const struct promise *promise, const struct st_findings *findings,
                               const struct reference *reference, char *why) {
    for (size_t b = 0; b < reference->block_count; b++) {
        const struct reference_block *block = &reference->blocks[b];
        size_t times = times_reported(findings, block->begin);
        bool outermost = promise->blocks == BLOCKS_OUTERMOST || promise->blocks == BLOCKS_BLAMED;
        bool promised = promise->blocks == BLOCKS_ALL || (outermost && block->depth == 0);
        if (times > 1)
            return differs(why, "the block that begins at %u is reported twice", block->begin);
        if (promised && block->violated_at && times == 0)
            return differs(why, "the violation of the block that begins at %u is missing",
                           block->begin);
    }
    if (promise->blocks == BLOCKS_BLAMED && !reference->serializable && findings->kept == 0)
        return differs(why, "no block is blamed");
    return true;
}

static bool check_counts(const struct st_findings *findings, char *why) {
    uint64_t outermost = 0, by_name = findings->unnamed_violated;
    for (size_t i = 0; i < findings->kept; i++)
        outermost += findings->violations[i].depth == 0;
    for (size_t name = 0; name < findings->violated_capacity; name++)
        by_name += findings->violated[name];
    if (findings->violation_count != outermost || by_name != findings->kept)
        return differs(why, "the counts of violations do not fit the violations");
    return true;
}

static bool check_blocks(const struct promise *promise, const struct st_findings *findings,
                         const struct sample *sample, const struct reference *reference,
                         char *why) {
    if (promise->blocks == BLOCKS_UNCHECKED)
        return true;
    if (findings->names_blocks != (promise->blocks != BLOCKS_NONE))
        return differs(why, "names_blocks is wrong");
    if (promise->blocks == BLOCKS_NONE && findings->kept)
        return differs(why, "it names a block but does not promise to");
    for (size_t i = 0; i < findings->kept; i++)
        if (!check_block(&findings->violations[i], sample, reference, why) ||
            !check_violation(promise, &findings->violations[i], reference, why))
            return false;
    return check_completeness(promise, findings, reference, why) && check_counts(findings, why);
}

struct compare_paths compare_paths;

static void measure_path(const struct st_violation *violation, const struct sample *sample) {
    size_t shortest = evidence_shortest(violation, sample);
    compare_paths.count++;
    compare_paths.edges += violation->path_length;
    compare_paths.shortest += shortest;
    compare_paths.longer += violation->path_length > shortest;
}

static bool check_evidence(const struct promise *promise, const struct st_findings *findings,
                           const struct sample *sample, const struct reference *reference,
                           char *why) {
    for (size_t i = 0; i < findings->kept; i++) {
        const struct st_violation *violation = &findings->violations[i];
        const char *wrong = evidence_closing(violation, sample);
        uint64_t source = violation->closing.from.number;
        if (!wrong && source && promise->blocks != BLOCKS_BLAMED &&
            !(reference->before[source - 1] >> (violation->begin - 1) & 1))
            wrong = "the source of the last edge does not depend on the block";
        if (!wrong && violation->path_length)
            wrong = evidence_path(violation, sample);
        if (!wrong && violation->path_length && promise->evidence)
            measure_path(violation, sample);
        if (!violation->path_length && promise->evidence)
            wrong = "it has no path";
        if (wrong)
            return differs(why, "the violation of the block that begins at %" PRIu64 ": %s",
                           violation->begin, wrong);
    }
    if (findings->cycle_length) {
        if (reference->serializable)
            return differs(why, "a serializable trace has a cycle");
        const char *wrong = evidence_cycle(findings->cycle, findings->cycle_length,
                                           findings->first_bad_event, sample, reference);
        if (!wrong && findings->cycle_ends)
            wrong = evidence_ends(findings->cycle, findings->cycle_ends, findings->cycle_length,
                                  sample, reference);
        return wrong ? differs(why, "the cycle: %s", wrong) : true;
    }
    if (promise->evidence && !reference->serializable && findings->kept == 0)
        return differs(why, "neither a violation nor a cycle explains the verdict");
    return true;
}

/* ---- one batch against many ---- */

#ifdef SERIATIM_STRESS
/* Which of several equivalent reads an engine names depends on when it forgets dead accesses, at
 * the end of a batch. All of them were checked; only their number must be the same. */
enum { SAME_EVENTS = 0 };
#else
enum { SAME_EVENTS = 1 };
#endif

static bool same_place(const struct st_place *a, const struct st_place *b) {
    return a->number == b->number && memcmp(&a->event, &b->event, sizeof a->event) == 0;
}

static bool same_edges(const struct st_edge *a, const struct st_edge *b, size_t count) {
    for (size_t i = 0; SAME_EVENTS && i < count; i++)
        if (a[i].kind != b[i].kind || !same_place(&a[i].from, &b[i].from) ||
            !same_place(&a[i].to, &b[i].to))
            return false;
    return true;
}

static bool same_violation(const struct st_violation *a, const struct st_violation *b) {
    return a->block == b->block && a->thread == b->thread && a->depth == b->depth &&
           a->begin_loc == b->begin_loc && a->begin == b->begin && a->end == b->end &&
           same_place(&a->event, &b->event) && a->path_length == b->path_length &&
           same_edges(a->path, b->path, a->path_length);
}

static bool same_findings(const struct st_findings *a, const struct st_findings *b) {
    if (a->verdict != b->verdict || a->first_bad_event != b->first_bad_event ||
        a->names_blocks != b->names_blocks || a->violation_count != b->violation_count ||
        a->kept != b->kept || a->cycle_length != b->cycle_length ||
        !same_edges(a->cycle, b->cycle, a->cycle_length))
        return false;
    for (size_t i = 0; i < a->kept; i++)
        if (!same_violation(&a->violations[i], &b->violations[i]))
            return false;
    return true;
}

bool compare_engine(const struct st_engine *engine, const struct sample *sample,
                    const struct reference *reference, uint64_t batches, uint64_t sharing,
                    char *why) {
    const struct promise *promise = promise_of(engine->name);
    struct chance chance = {batches};
    struct st_findings whole, pieces;
    run(engine, sample, sharing, &whole, NULL);
    run(engine, sample, sharing, &pieces, &chance);
    bool same = check_verdict(promise, &whole, reference, why) &&
                check_blocks(promise, &whole, sample, reference, why) &&
                check_evidence(promise, &whole, sample, reference, why);
    if (same && !same_findings(&whole, &pieces))
        same = differs(why, "small batches give other findings than one large one");
    st_findings_free(&whole);
    st_findings_free(&pieces);
    return same;
}

bool compare_deferred(const struct sample *sample, const struct reference *reference, uint64_t seed,
                      char *why) {
    const struct promise *promise = promise_of("witness");
    struct st_findings findings;
    struct st_event events[SAMPLE_EVENTS];
    sample_feed(sample, events);
    deferred_run(events, sample->count, seed, &findings);
    bool same = check_verdict(promise, &findings, reference, why) &&
                check_blocks(promise, &findings, sample, reference, why) &&
                check_evidence(promise, &findings, sample, reference, why);
    st_findings_free(&findings);
    return same;
}

bool compare_algorithm1(const struct sample *sample, const struct reference *reference, char *why) {
    unsigned report = algorithm1_report(sample);
    if (report != reference->aerodrome)
        return differs(why, "Algorithm 1 reports at %u, its definition at %u", report,
                       reference->aerodrome);
    return true;
}

/* ---- printing ---- */

static void print_edges(FILE *file, const struct st_edge *edges, size_t count) {
    for (size_t i = 0; i < count; i++)
        fprintf(file, " %" PRIu64 "->%" PRIu64 " (%s)", edges[i].from.number, edges[i].to.number,
                st_edge_kind_name(edges[i].kind));
    fputc('\n', file);
}

void compare_print_findings(FILE *file, const struct st_engine *engine, const struct sample *sample,
                            uint64_t sharing) {
    static const char *const verdicts[] = {"undecided", "serializable", "not serializable"};
    struct st_findings findings;
    run(engine, sample, sharing, &findings, NULL);
    fprintf(file, "  %s", verdicts[findings.verdict]);
    if (findings.first_bad_event)
        fprintf(file, ", first bad event %" PRIu64, findings.first_bad_event);
    fputc('\n', file);
    for (size_t i = 0; i < findings.kept; i++) {
        const struct st_violation *v = &findings.violations[i];
        fprintf(file,
                "  violated: thread T%u begin %" PRIu64 " end %" PRIu64 " depth %u event %" PRIu64,
                v->thread + 1, v->begin, v->end, v->depth, v->event.number);
        print_edges(file, v->path, v->path_length);
    }
    if (findings.cycle_length) {
        fprintf(file, "  cycle:");
        print_edges(file, findings.cycle, findings.cycle_length);
    }
    st_findings_free(&findings);
}
