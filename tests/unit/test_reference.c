/* The net that engines are caught with: does it know the papers' traces, and does it catch fish? */
#include "reference/algorithm1.h"
#include "reference/compare.h"
#include "reference/evidence.h"
#include "reference/generate.h"
#include "reference/shrink.h"

#include "base/memory.h"
#include "trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- traces with known answers ---- */

static void load(struct sample *sample, const char *name) {
    char path[512];
    struct st_error error;
    struct st_event *events;
    snprintf(path, sizeof path, "%s/tests/traces/%s.std", SOURCE_DIR, name);
    struct st_trace *trace = st_trace_open(path, 0, &error);
    assert_non_null(trace);
    sample->count = 0;
    sample->repair = false;
    sample->team_channels = 0;
    for (long count; (count = st_trace_next(trace, &events, &error)) != 0;) {
        assert_true(count > 0 && sample->count + (size_t)count <= SAMPLE_EVENTS);
        memcpy(&sample->events[sample->count], events, (size_t)count * sizeof *events);
        sample->count += (size_t)count;
    }
    st_trace_close(trace);
}

static void check(struct reference *reference, struct sample *sample) {
    struct st_error error;
    sample_renumber(sample);
    assert_int_equal(sample_check(sample, &error), 0);
    reference_check(reference, sample);
    assert_int_equal(algorithm1_report(sample), reference->aerodrome);
}

static void check_file(struct reference *reference, const char *name) {
    struct sample sample;
    load(&sample, name);
    check(reference, &sample);
}

static size_t violated_count(const struct reference *reference) {
    size_t count = 0;
    for (size_t b = 0; b < reference->block_count; b++)
        count += reference->blocks[b].violated_at != 0;
    return count;
}

static void assert_serializable(const char *name) {
    struct reference reference;
    check_file(&reference, name);
    assert_true(reference.serializable);
    assert_int_equal(reference.first_bad, 0);
    assert_int_equal(reference.aerodrome, 0);
    assert_int_equal(violated_count(&reference), 0);
}

static void assert_bad(const char *name, unsigned first_bad, unsigned aerodrome, size_t violated) {
    struct reference reference;
    check_file(&reference, name);
    assert_false(reference.serializable);
    assert_int_equal(reference.first_bad, first_bad);
    assert_int_equal(reference.aerodrome, aerodrome);
    assert_int_equal(violated_count(&reference), violated);
}

static void assert_violated(const struct reference *reference, unsigned begin, unsigned end,
                            unsigned event) {
    for (size_t b = 0; b < reference->block_count; b++) {
        const struct reference_block *block = &reference->blocks[b];
        if (block->begin != begin)
            continue;
        assert_int_equal(block->end, end);
        assert_int_equal(block->violated_at, event);
        return;
    }
    fail_msg("no block begins at %u", begin);
}

static void rho1_is_serializable(void **state) {
    (void)state;
    assert_serializable("rho1");
}

/* T1 leaves with e3 and is come back to at e6; nothing comes back to T2. */
static void rho2_violates_its_first_block(void **state) {
    (void)state;
    struct reference reference;
    assert_bad("rho2", 6, 6, 1);
    check_file(&reference, "rho2");
    assert_violated(&reference, 1, 7, 6);
}

static void rho3_is_bad_at_6_but_aerodrome_waits_for_the_end_at_7(void **state) {
    (void)state;
    assert_bad("rho3", 6, 7, 0);
}

static void rho1_prime_is_bad_at_11_without_a_violated_block(void **state) {
    (void)state;
    assert_bad("rho1p", 11, 11, 0);
}

static void alpha1_is_bad_at_e7_without_a_violated_block(void **state) {
    (void)state;
    struct reference reference;
    check_file(&reference, "alpha1");
    assert_false(reference.serializable);
    assert_int_equal(reference.first_bad, 14);
    assert_int_equal(violated_count(&reference), 0);
}

static void alpha3_violates_tx1_at_e7(void **state) {
    (void)state;
    struct reference reference;
    check_file(&reference, "alpha3");
    assert_int_equal(reference.first_bad, 14);
    assert_int_equal(violated_count(&reference), 1);
    assert_violated(&reference, 1, 15, 14);
}

static void comparing_whole_read_clocks_would_miss_this_violation(void **state) {
    (void)state;
    struct reference reference;
    assert_bad("aerodrome-4.3", 6, 6, 1);
    check_file(&reference, "aerodrome-4.3");
    assert_violated(&reference, 3, 7, 6);
}

static void unary_events_of_one_thread_are_different_transactions(void **state) {
    (void)state;
    assert_serializable("regiontrack-unary");
}

static void the_vector_constructor_is_cut_when_it_takes_the_lock_again(void **state) {
    (void)state;
    struct reference reference;
    assert_bad("vector", 13, 13, 1);
    check_file(&reference, "vector");
    assert_violated(&reference, 1, 18, 13);
}

static void the_vector_constructor_is_atomic_when_nothing_comes_between(void **state) {
    (void)state;
    assert_serializable("vector-atomic");
}

/* ---- small traces written down here ---- */

enum { T1, T2, T3, T4 };

static void joining_a_silent_child_is_no_violation(void **state) {
    (void)state;
    struct sample sample = {0};
    struct reference reference;
    sample_add(&sample, T1, ST_BEGIN, ST_NO_NAME);
    sample_add(&sample, T1, ST_FORK, T2);
    sample_add(&sample, T1, ST_JOIN, T2);
    sample_add(&sample, T1, ST_END, ST_NO_NAME);
    check(&reference, &sample);
    assert_true(reference.serializable);
}

static void joining_a_child_with_events_inside_the_forking_block_is_one(void **state) {
    (void)state;
    struct sample sample = {0};
    struct reference reference;
    sample_add(&sample, T1, ST_BEGIN, ST_NO_NAME);
    sample_add(&sample, T1, ST_FORK, T2);
    sample_add(&sample, T2, ST_READ, 0);
    sample_add(&sample, T1, ST_JOIN, T2);
    check(&reference, &sample);
    assert_int_equal(reference.first_bad, 4);
    assert_violated(&reference, 1, 0, 4);
}

static void aerodrome_reports_at_the_last_event_when_blocks_stay_open(void **state) {
    (void)state;
    struct sample sample;
    struct reference reference;
    load(&sample, "rho3");
    sample.count = 6;
    check(&reference, &sample);
    assert_int_equal(reference.first_bad, 6);
    assert_int_equal(reference.aerodrome, 6);
}

/* Only the outer block is left and come back to: the second write of T2 is seen after the inner
 * block's end. */
static void nested_blocks_are_judged_one_by_one(void **state) {
    (void)state;
    struct sample sample = {0};
    struct reference reference;
    sample_add(&sample, T1, ST_BEGIN, ST_NO_NAME);
    sample_add(&sample, T1, ST_WRITE, 0);
    sample_add(&sample, T2, ST_WRITE, 0);
    sample_add(&sample, T1, ST_BEGIN, ST_NO_NAME);
    sample_add(&sample, T1, ST_READ, 0);
    sample_add(&sample, T2, ST_WRITE, 0);
    sample_add(&sample, T1, ST_END, ST_NO_NAME);
    sample_add(&sample, T1, ST_READ, 0);
    check(&reference, &sample);
    assert_violated(&reference, 1, 0, 5);
    assert_violated(&reference, 4, 7, 0);
}

/* The lock is free for T2 only after the outer release, so the inner pair orders nothing. */
static void inner_acquires_and_releases_make_no_edges(void **state) {
    (void)state;
    struct sample sample = {0};
    struct reference reference;
    sample_add(&sample, T1, ST_ACQUIRE, 0);
    sample_add(&sample, T1, ST_ACQUIRE, 0);
    sample_add(&sample, T1, ST_RELEASE, 0);
    sample_add(&sample, T1, ST_RELEASE, 0);
    sample_add(&sample, T2, ST_ACQUIRE, 0);
    check(&reference, &sample);
    assert_int_equal(sample.events[1].op, ST_NESTED);
    assert_int_equal(sample.events[2].op, ST_NESTED);
    assert_false(reference_depends(&sample.events[2], &sample.events[4], ST_EDGE_LOCK));
    assert_true(reference_depends(&sample.events[3], &sample.events[4], ST_EDGE_LOCK));
}

static void a_channel_orders_each_send_before_each_later_receive_and_nothing_else(void **state) {
    (void)state;
    struct sample sample = {0};
    struct reference reference;
    sample_add(&sample, T3, ST_RECEIVE, 0);
    sample_add(&sample, T1, ST_SEND, 0);
    sample_add(&sample, T2, ST_SEND, 0);
    sample_add(&sample, T3, ST_SEND, 1);
    sample_add(&sample, T3, ST_RECEIVE, 0);
    sample_add(&sample, T4, ST_RECEIVE, 0);
    sample_add(&sample, T1, ST_SEND, 0);
    check(&reference, &sample);
    assert_int_equal(reference.before[1], 0);
    assert_int_equal(reference.before[2], 0);    /* sends do not order each other */
    assert_int_equal(reference.before[4], 0x0f); /* both sends, and what the thread did */
    assert_int_equal(reference.before[5], 0x06); /* both again, but no other receive */
    assert_int_equal(reference.before[6], 0x02); /* no receive */
}

/* ---- an engine that asks the reference, and then makes one mistake ---- */

enum mistake {
    NO_MISTAKE,
    SAYS_SERIALIZABLE,
    BLAMES_EVERYTHING,
    LATE_VERDICT,
    FORGETS_A_VIOLATION,
    PROVES_TOO_LATE,
    REPEATS_ITSELF,
    LOSES_THE_END,
    SEES_ONE_BATCH,
    LOSES_THE_PATH,
};

struct oracle {
    struct st_findings *findings;
    struct sample sample;
    enum mistake mistake;
    size_t batches;
};

/* Engines have no room for parameters, so the mistake to make stands here. */
static enum mistake next_mistake;

static void *oracle_create(struct st_findings *findings) {
    struct oracle *oracle = st_alloc(1, sizeof *oracle);
    oracle->findings = findings;
    oracle->mistake = next_mistake;
    findings->names_blocks = true;
    return oracle;
}

static void oracle_feed(void *state, const struct st_event *events, size_t count, uint64_t first) {
    struct oracle *oracle = state;
    memcpy(&oracle->sample.events[first - 1], events, count * sizeof *events);
    oracle->sample.count += count;
    oracle->batches++;
}

static struct st_place place(const struct sample *sample, size_t i) {
    return (struct st_place){.number = i + 1, .event = sample->events[i]};
}

static bool edge_between(const struct sample *sample, size_t from, size_t to,
                         struct st_edge *edge) {
    for (int kind = ST_EDGE_CONFLICT; kind <= ST_EDGE_SYNC; kind++)
        if (reference_depends(&sample->events[from], &sample->events[to],
                              (enum st_edge_kind)kind)) {
            *edge = (struct st_edge){place(sample, from), place(sample, to),
                                     .kind = (enum st_edge_kind)kind};
            return true;
        }
    return false;
}

/* The edges of a path that leaves the thread of event `at`, at or after it, and ends in `goal`.
 * 0 when there is none. */
static size_t find_path(const struct sample *sample, size_t at, size_t goal, struct st_edge *path) {
    for (size_t from = at; from < goal; from++) {
        if (sample->events[from].thread != sample->events[at].thread)
            continue;
        for (size_t to = from + 1; to <= goal; to++) {
            if (!edge_between(sample, from, to, path))
                continue;
            size_t rest = to == goal ? 0 : find_path(sample, to, goal, path + 1);
            if (to == goal || rest)
                return rest + 1;
        }
    }
    return 0;
}

static void blame(struct oracle *oracle, const struct reference_block *block, unsigned event) {
    const struct sample *sample = &oracle->sample;
    const struct st_event *begin = &sample->events[block->begin - 1];
    struct st_edge path[SAMPLE_EVENTS];
    struct st_violation violation = {
        .block = begin->target,
        .thread = block->thread,
        .depth = block->depth,
        .begin_loc = begin->loc,
        .begin = block->begin,
        .end = oracle->mistake == LOSES_THE_END ? 0 : block->end,
        .event = place(sample, event - 1),
    };
    if (oracle->mistake != LOSES_THE_PATH)
        violation.path_length = find_path(sample, block->begin - 1, event - 1, path);
    violation.path = st_alloc(violation.path_length + 1, sizeof path[0]);
    memcpy(violation.path, path, violation.path_length * sizeof path[0]);
    st_findings_violation(oracle->findings, &violation);
}

/* A non-increasing cycle would need evidence too; the oracle does not search for one. */
static void oracle_finish(void *state, uint64_t events) {
    struct oracle *oracle = state;
    struct st_findings *findings = oracle->findings;
    struct reference reference;
    (void)events;
    reference_check(&reference, &oracle->sample);
    findings->verdict = ST_SERIALIZABLE;
    if (oracle->mistake == SAYS_SERIALIZABLE ||
        (oracle->mistake == SEES_ONE_BATCH && oracle->batches > 1))
        return;
    if (reference.first_bad)
        st_findings_bad_event(findings, reference.first_bad + (oracle->mistake == LATE_VERDICT));
    for (size_t b = 0; b < reference.block_count; b++) {
        const struct reference_block *block = &reference.blocks[b];
        if (oracle->mistake == BLAMES_EVERYTHING) {
            st_findings_bad_event(findings, block->begin);
            blame(oracle, block, block->begin);
        } else if (block->violated_at && oracle->mistake != FORGETS_A_VIOLATION) {
            bool late = oracle->mistake == PROVES_TOO_LATE && block->end;
            blame(oracle, block, late ? block->end : block->violated_at);
            if (oracle->mistake == REPEATS_ITSELF)
                blame(oracle, block, block->violated_at);
        }
    }
}

static size_t oracle_memory(const void *state) {
    (void)state;
    return sizeof(struct oracle);
}

/* It has the name of the engine with the most promises. */
static const struct st_engine oracle_engine = {
    .name = "witness",
    .summary = "asks the reference",
    .create = oracle_create,
    .feed = oracle_feed,
    .finish = oracle_finish,
    .memory = oracle_memory,
    .destroy = free,
};

static bool shows_fault(const struct sample *sample, void *context) {
    char *why = context;
    struct reference reference;
    reference_check(&reference, sample);
    return !compare_engine(&oracle_engine, sample, &reference, 1, 0, why);
}

/* Only traces for which the oracle can give all the evidence that is asked for. */
static bool is_fit(const struct sample *sample) {
    struct reference reference;
    reference_check(&reference, sample);
    return reference.serializable || violated_count(&reference) > 0;
}

static bool shows_fault_and_is_fit(const struct sample *sample, void *context) {
    return is_fit(sample) && shows_fault(sample, context);
}

/* Searches a thousand random traces for the mistake and shrinks the first that shows it. */
static void assert_caught(enum mistake mistake, const char *because, size_t at_most) {
    struct sample sample;
    char why[COMPARE_TEXT] = "";
    bool caught = false;
    next_mistake = mistake;
    for (uint64_t seed = 1; seed <= 1000 && !caught; seed++) {
        generate(&sample, seed);
        caught = shows_fault_and_is_fit(&sample, why);
    }
    assert_true(caught);
    shrink(&sample, shows_fault_and_is_fit, why);
    assert_true(shows_fault(&sample, why));
    if (!strstr(why, because))
        fail_msg("expected '%s', got '%s'", because, why);
    assert_in_range(sample.count, 1, at_most);
}

static void an_engine_without_mistakes_is_not_blamed(void **state) {
    (void)state;
    char why[COMPARE_TEXT];
    struct sample sample;
    next_mistake = NO_MISTAKE;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        generate(&sample, seed);
        if (is_fit(&sample) && shows_fault(&sample, why))
            fail_msg("seed %u: %s", (unsigned)seed, why);
    }
}

/* begin, an access, one of another thread, and the way back: a violation has no less. */
static void an_engine_that_always_says_serializable_is_caught_with_four_events(void **state) {
    (void)state;
    assert_caught(SAYS_SERIALIZABLE, "verdict", 4);
}

static void an_engine_that_blames_everything_is_caught_with_one_event(void **state) {
    (void)state;
    assert_caught(BLAMES_EVERYTHING, "verdict", 1);
}

static void a_wrong_first_bad_event_is_caught(void **state) {
    (void)state;
    assert_caught(LATE_VERDICT, "first bad event", 4);
}

static void a_missing_violation_is_caught(void **state) {
    (void)state;
    assert_caught(FORGETS_A_VIOLATION, "missing", 4);
}

static void a_violation_proved_too_late_is_caught(void **state) {
    (void)state;
    assert_caught(PROVES_TOO_LATE, "proved by event", 5);
}

static void a_violation_reported_twice_is_caught(void **state) {
    (void)state;
    assert_caught(REPEATS_ITSELF, "twice", 4);
}

static void a_wrong_end_is_caught(void **state) {
    (void)state;
    assert_caught(LOSES_THE_END, "ends at", 5);
}

static void findings_that_depend_on_batches_are_caught(void **state) {
    (void)state;
    assert_caught(SEES_ONE_BATCH, "batches", 4);
}

static void a_missing_path_is_caught(void **state) {
    (void)state;
    assert_caught(LOSES_THE_PATH, "no path", 4);
}

/* ---- paths ---- */

/* T1 writes x, then begins a block, writes x and z; T2 writes x and y; T1 reads x, then y. What is
 * wrong with the path of these edges for the block, which is violated at event 7? */
static const char *path_of(size_t count, const size_t edges[][2]) {
    struct sample sample = {0};
    struct st_edge path[2];
    sample_add(&sample, T1, ST_WRITE, 0);
    sample_add(&sample, T1, ST_BEGIN, ST_NO_NAME);
    sample_add(&sample, T1, ST_WRITE, 0);
    sample_add(&sample, T1, ST_WRITE, 2);
    sample_add(&sample, T2, ST_WRITE, 0);
    sample_add(&sample, T2, ST_WRITE, 1);
    sample_add(&sample, T1, ST_READ, 0);
    sample_add(&sample, T1, ST_READ, 1);
    for (size_t i = 0; i < count; i++)
        path[i] = (struct st_edge){place(&sample, edges[i][0] - 1), place(&sample, edges[i][1] - 1),
                                   .kind = ST_EDGE_CONFLICT};
    struct st_violation violation = {
        .thread = T1, .begin = 2, .event = place(&sample, 6), .path = path, .path_length = count};
    const char *wrong = evidence_path(&violation, &sample);
    return wrong ? wrong : "nothing";
}

static void a_path_out_of_the_block_and_back_is_accepted(void **state) {
    (void)state;
    assert_string_equal(path_of(2, (const size_t[][2]){{3, 5}, {5, 7}}), "nothing");
}

static void a_path_that_starts_before_its_block_is_rejected(void **state) {
    (void)state;
    const char *wrong = path_of(2, (const size_t[][2]){{1, 5}, {5, 7}});
    assert_string_equal(wrong, "the path starts before the block");
}

static void a_path_that_starts_in_another_thread_is_rejected(void **state) {
    (void)state;
    const char *wrong = path_of(1, (const size_t[][2]){{5, 7}});
    assert_string_equal(wrong, "the path starts in another thread");
}

static void a_path_that_ends_elsewhere_is_rejected(void **state) {
    (void)state;
    const char *wrong = path_of(2, (const size_t[][2]){{3, 5}, {6, 8}});
    assert_string_equal(wrong, "the path ends at another event");
}

static void a_path_with_an_edge_that_is_none_is_rejected(void **state) {
    (void)state;
    const char *wrong = path_of(2, (const size_t[][2]){{4, 5}, {5, 7}});
    assert_string_equal(wrong, "an edge is no dependence of its kind");
}

static void a_path_with_a_gap_is_rejected(void **state) {
    (void)state;
    const char *wrong = path_of(2, (const size_t[][2]){{3, 5}, {3, 5}});
    assert_string_equal(wrong, "two edges of the path do not meet in one thread");
}

/* ---- cycles ---- */

static const char *cycle_of_rho3(size_t first_to, uint64_t limit) {
    struct sample sample;
    struct reference reference;
    struct st_edge edges[2];
    load(&sample, "rho3");
    reference_check(&reference, &sample);
    assert_true(edge_between(&sample, 2, 5, &edges[0]));
    assert_true(edge_between(&sample, 3, 4, &edges[1]));
    edges[0].to = place(&sample, first_to);
    return evidence_cycle(edges, 2, limit, &sample, &reference);
}

static void the_cycle_of_rho3_is_accepted(void **state) {
    (void)state;
    assert_null(cycle_of_rho3(5, 6));
}

static void a_cycle_beyond_the_first_bad_event_is_rejected(void **state) {
    (void)state;
    assert_non_null(strstr(cycle_of_rho3(5, 5), "beyond"));
}

static void a_cycle_with_an_edge_that_is_none_is_rejected(void **state) {
    (void)state;
    assert_non_null(strstr(cycle_of_rho3(7, 8), "no dependence"));
}

/* In rho1 T3 comes before T1 and T1 before T2, which does not close. */
static void a_chain_is_no_cycle(void **state) {
    (void)state;
    struct sample sample;
    struct reference reference;
    struct st_edge edges[2];
    load(&sample, "rho1");
    reference_check(&reference, &sample);
    assert_true(edge_between(&sample, 6, 8, &edges[0]));
    assert_true(edge_between(&sample, 1, 3, &edges[1]));
    assert_non_null(evidence_cycle(edges, 2, 10, &sample, &reference));
}

/* ---- the generator ---- */

static void the_same_seed_gives_the_same_trace(void **state) {
    (void)state;
    struct sample a = {0}, b = {0};
    for (uint64_t seed = 0; seed < 100; seed++) {
        assert_int_equal(generate(&a, seed), generate(&b, seed));
        assert_int_equal(a.count, b.count);
        assert_memory_equal(a.events, b.events, a.count * sizeof a.events[0]);
    }
}

/* Would the trace be serializable if nothing were sent? */
static bool is_good_without_sends(const struct sample *sample) {
    struct sample silent;
    struct reference reference;
    uint64_t sends = 0;
    for (size_t i = 0; i < sample->count; i++)
        if (sample->events[i].op == ST_SEND)
            sends |= UINT64_C(1) << i;
    sample_without(sample, sends, &silent);
    silent.repair = true; /* a thread may have had nothing but a send before its join */
    check(&reference, &silent);
    return reference.serializable;
}

/* A class of traces that is rare is a class that nobody tests. */
static void every_class_of_traces_is_frequent(void **state) {
    (void)state;
    enum { TRACES = 5000 };
    unsigned bad = 0, without_violation = 0, late = 0, through_channels = 0;
    for (uint64_t seed = 1; seed <= TRACES; seed++) {
        struct sample sample;
        struct reference reference;
        generate(&sample, seed);
        reference_check(&reference, &sample);
        bad += !reference.serializable;
        without_violation += !reference.serializable && violated_count(&reference) == 0;
        late += reference.aerodrome > reference.first_bad;
        through_channels += !reference.serializable && is_good_without_sends(&sample);
    }
    assert_in_range(bad * 100 / TRACES, 35, 65);
    assert_in_range(without_violation * 100 / TRACES, 7, 100);
    assert_in_range(late * 100 / TRACES, 4, 100);
    assert_in_range(through_channels * 100 / TRACES, 8, 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rho1_is_serializable),
        cmocka_unit_test(rho2_violates_its_first_block),
        cmocka_unit_test(rho3_is_bad_at_6_but_aerodrome_waits_for_the_end_at_7),
        cmocka_unit_test(rho1_prime_is_bad_at_11_without_a_violated_block),
        cmocka_unit_test(alpha1_is_bad_at_e7_without_a_violated_block),
        cmocka_unit_test(alpha3_violates_tx1_at_e7),
        cmocka_unit_test(comparing_whole_read_clocks_would_miss_this_violation),
        cmocka_unit_test(unary_events_of_one_thread_are_different_transactions),
        cmocka_unit_test(the_vector_constructor_is_cut_when_it_takes_the_lock_again),
        cmocka_unit_test(the_vector_constructor_is_atomic_when_nothing_comes_between),
        cmocka_unit_test(joining_a_silent_child_is_no_violation),
        cmocka_unit_test(joining_a_child_with_events_inside_the_forking_block_is_one),
        cmocka_unit_test(aerodrome_reports_at_the_last_event_when_blocks_stay_open),
        cmocka_unit_test(nested_blocks_are_judged_one_by_one),
        cmocka_unit_test(a_channel_orders_each_send_before_each_later_receive_and_nothing_else),
        cmocka_unit_test(inner_acquires_and_releases_make_no_edges),
        cmocka_unit_test(an_engine_without_mistakes_is_not_blamed),
        cmocka_unit_test(an_engine_that_always_says_serializable_is_caught_with_four_events),
        cmocka_unit_test(an_engine_that_blames_everything_is_caught_with_one_event),
        cmocka_unit_test(a_wrong_first_bad_event_is_caught),
        cmocka_unit_test(a_missing_violation_is_caught),
        cmocka_unit_test(a_violation_proved_too_late_is_caught),
        cmocka_unit_test(a_violation_reported_twice_is_caught),
        cmocka_unit_test(a_wrong_end_is_caught),
        cmocka_unit_test(findings_that_depend_on_batches_are_caught),
        cmocka_unit_test(a_missing_path_is_caught),
        cmocka_unit_test(a_path_out_of_the_block_and_back_is_accepted),
        cmocka_unit_test(a_path_that_starts_before_its_block_is_rejected),
        cmocka_unit_test(a_path_that_starts_in_another_thread_is_rejected),
        cmocka_unit_test(a_path_that_ends_elsewhere_is_rejected),
        cmocka_unit_test(a_path_with_an_edge_that_is_none_is_rejected),
        cmocka_unit_test(a_path_with_a_gap_is_rejected),
        cmocka_unit_test(the_cycle_of_rho3_is_accepted),
        cmocka_unit_test(a_cycle_beyond_the_first_bad_event_is_rejected),
        cmocka_unit_test(a_cycle_with_an_edge_that_is_none_is_rejected),
        cmocka_unit_test(a_chain_is_no_cycle),
        cmocka_unit_test(the_same_seed_gives_the_same_trace),
        cmocka_unit_test(every_class_of_traces_is_frequent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
