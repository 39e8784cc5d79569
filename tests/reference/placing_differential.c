/* placing-differential: compares random traces with what a deferred recording has of them.
 *
 *     placing-differential [--seed S] [--count N] [--forever] [--verbose]
 *
 * Each trace is emitted as a program does that defers accesses and leaves out blocks, written in
 * that order, and put in order again. By both relations the result must be a well-formed trace that
 * is serializable if the whole one is, and in which the same blocks are violated at every depth: a
 * block that is left out must be violated in neither. All engines must agree with the reference on
 * it. Trace number i comes from the seed S + i. Status 0: all agree; 1: a difference, printed with
 * the smallest trace that shows it; 2: usage. */
#include "reference/compare.h"
#include "reference/emitter.h"
#include "reference/placed.h"
#include "reference/program.h"
#include "reference/shrink.h"

#include <inttypes.h>
#include <string.h>

/* Seconds of processor time for a thousand traces. */
enum { PATIENCE = 120 };

struct fault {
    uint64_t seed;
    char why[COMPARE_TEXT];
};

static const struct reference_block *block_at(const struct reference *reference, unsigned begin) {
    for (size_t b = 0; b < reference->block_count; b++)
        if (reference->blocks[b].begin == begin)
            return &reference->blocks[b];
    return NULL;
}

static bool differs(struct fault *fault, const char *why, uint64_t number) {
    snprintf(fault->why, sizeof fault->why, "%s %" PRIu64, why, number);
    return false;
}

/* Each event is one of the trace, of the same thread and kind, and those that nobody deferred are
 * in its order. */
static bool compare_events(const struct sample *whole, const struct sample *placed,
                           const uint64_t *origins, struct fault *fault) {
    uint64_t seen = 0;
    for (size_t i = 0; i < placed->count; i++) {
        const struct st_event *event = &placed->events[i];
        if (!origins[i] || origins[i] > whole->count)
            return differs(fault, "no event of the trace has the number", origins[i]);
        const struct st_event *origin = &whole->events[origins[i] - 1];
        bool late_end = event->written == ST_END && origin->written == ST_BEGIN;
        if (origin->thread != event->thread || origin->target != event->target ||
            (origin->written != event->written && !late_end))
            return differs(fault, "another event stands for number", origins[i]);
        if (!late_end && seen >> (origins[i] - 1) & 1)
            return differs(fault, "it has this event twice:", origins[i]);
        if (!late_end)
            seen |= UINT64_C(1) << (origins[i] - 1);
    }
    return true;
}

static bool compare_blocks(const struct reference *whole, const struct reference *placed,
                           const uint64_t *origins, struct fault *fault) {
    uint64_t found = 0;
    for (size_t b = 0; b < placed->block_count; b++) {
        uint64_t begin = origins[placed->blocks[b].begin - 1];
        const struct reference_block *block = block_at(whole, (unsigned)begin);
        if (!block || !block->violated_at != !placed->blocks[b].violated_at)
            return differs(fault, "only in one of them this block is violated:", begin);
        found |= UINT64_C(1) << (begin - 1);
    }
    for (size_t b = 0; b < whole->block_count; b++)
        if (whole->blocks[b].violated_at && !(found >> (whole->blocks[b].begin - 1) & 1))
            return differs(fault, "this block is violated, and left out:", whole->blocks[b].begin);
    return true;
}

static bool compare_engines(const struct sample *placed, const struct reference *reference,
                            struct fault *fault) {
    for (const struct st_engine *const *engine = st_engines; *engine; engine++)
        if (!(*engine)->published_form_of &&
            !compare_engine(*engine, placed, reference, fault->seed, 0, fault->why))
            return false;
    return true;
}

/* The relation does not change which events there are. */
static bool compare_by(enum st_relation relation, const struct sample *sample,
                       const struct sample *placed, const uint64_t *origins, struct fault *fault) {
    struct sample whole = *sample, part = *placed;
    struct reference one, other;
    whole.relation = part.relation = relation;
    reference_check(&one, &whole);
    reference_check(&other, &part);
    if (one.serializable != other.serializable)
        return differs(fault, "only one of them is serializable; events:", part.count);
    return compare_blocks(&one, &other, origins, fault) && compare_engines(&part, &other, fault);
}

static bool compare(const struct sample *sample, struct fault *fault) {
    uint64_t origins[SAMPLE_EVENTS];
    struct sample placed;
    struct st_error error;
    program_part = "placing";
    placed_sample(sample, fault->seed, &placed, origins);
    if (!compare_events(sample, &placed, origins, fault))
        return false;
    sample_renumber(&placed);
    if (sample_check(&placed, &error) < 0)
        return differs(fault, "the result is not well formed at event", error.position);
    program_part = "comparing";
    return compare_by(ST_LOCKS, sample, &placed, origins, fault) &&
           compare_by(ST_DATA, sample, &placed, origins, fault);
}

static bool shows_fault(const struct sample *sample, void *context) {
    return !compare(sample, context);
}

static void report(const struct sample *original, struct fault *fault) {
    struct sample sample = *original, placed;
    uint64_t origins[SAMPLE_EVENTS];
    printf("seed %" PRIu64 ": %s\n", fault->seed, fault->why);
    shrink(&sample, shows_fault, fault);
    shows_fault(&sample, fault);
    printf("shrunk from %zu to %zu events: %s\n", original->count, sample.count, fault->why);
    sample_print(stdout, &sample);
    placed_sample(&sample, fault->seed, &placed, origins);
    printf("the recording has:\n");
    sample_print(stdout, &placed);
}

static bool check_next(void *context, uint64_t seed) {
    uint64_t *violated = context;
    struct sample sample;
    struct reference reference;
    struct fault fault = {.seed = seed};
    if (seed % 1000 == 0)
        program_be_patient_for(PATIENCE);
    generate(&sample, seed);
    if (!compare(&sample, &fault)) {
        report(&sample, &fault);
        return false;
    }
    reference_check(&reference, &sample);
    for (size_t b = 0; b < reference.block_count; b++)
        *violated += reference.blocks[b].violated_at != 0;
    return true;
}

int main(int argc, char **argv) {
    struct program program = {.name = "placing-differential",
                              .usage = "[--seed S] [--count N] [--forever] [--verbose]",
                              .seed = 1,
                              .count = 2000};
    const struct program_option own[] = {{.name = NULL}};
    uint64_t violated = 0;
    if (!program_read(&program, own, argc, argv))
        return 2;
    program_watch();
    program_be_patient_for(PATIENCE);
    if (!program_run(&program, check_next, &violated))
        return 1;
    const struct deferred_tally *tally = &deferred_tally;
    printf("%" PRIu64 " accesses: %.1f%% at once, %.1f%% deferred, the others never; %" PRIu64
           " reads forgotten; %" PRIu64 " blocks: %.1f%% begun late, %.1f%% never; %" PRIu64
           " violated\n",
           tally->accesses, 100.0 * (double)tally->eager / (double)(tally->accesses | 1),
           100.0 * (double)tally->deferred / (double)(tally->accesses | 1), tally->forgotten,
           tally->blocks, 100.0 * (double)tally->boarded / (double)(tally->blocks | 1),
           100.0 * (double)tally->left_out / (double)(tally->blocks | 1), violated);
    printf("%" PRIu64 " traces: all agree\n", program.count);
    return 0;
}
