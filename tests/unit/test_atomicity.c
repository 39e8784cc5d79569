/* The reference for other schedules: does it know the papers' examples, does it agree with going
 * through all interleavings one by one, and does the net that analyses are caught with hold? */
#include "reference/foresight.h"
#include "reference/generate.h"
#include "reference/generate_units.h"
#include "reference/shrink.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- samples as text ---- */

static enum st_op op_of(const char *word, size_t length) {
    for (enum st_op op = ST_READ; op < ST_OP_COUNT; op++)
        if (strlen(st_op_std(op)) == length && memcmp(st_op_std(op), word, length) == 0)
            return op;
    fail_msg("no operation: %.*s", (int)length, word);
    return ST_OP_COUNT;
}

/* "T1.begin T1.acq(l) T1.w(x)": threads are T and a digit, other names are single letters. */
static void parse(struct sample *sample, const char *text) {
    struct st_error error;
    sample->count = 0;
    sample->repair = false;
    sample->team_channels = 0;
    for (const char *p = text; *p;) {
        assert_true(p[0] == 'T' && isdigit((unsigned char)p[1]) && p[2] == '.');
        size_t length = strcspn(p + 3, "( ");
        enum st_op op = op_of(p + 3, length);
        uint32_t target = ST_NO_NAME, thread = (uint32_t)(p[1] - '0');
        p += 3 + length;
        if (*p == '(') {
            bool is_thread = op == ST_FORK || op == ST_JOIN;
            target = is_thread ? (uint32_t)(p[2] - '0') : (uint32_t)(p[1] - 'a');
            p = strchr(p, ')') + 1;
        }
        sample_add(sample, thread, op, target);
        p += *p == ' ';
    }
    sample_renumber(sample);
    assert_int_equal(sample_check(sample, &error), 0);
}

static void check(struct atomicity *atomicity, struct sample *sample, const char *text) {
    parse(sample, text);
    atomicity_check(atomicity, sample, ATOMICITY_STATES);
    assert_true(atomicity->decided);
}

static void assert_verdicts(const char *text, bool conflict, bool view) {
    struct sample sample;
    struct atomicity atomicity;
    check(&atomicity, &sample, text);
    if (atomicity.deadlock || atomicity.conflict.atomic != conflict ||
        atomicity.view.atomic != view) {
        print_error("%s\n", text);
        atomicity_print(stderr, &atomicity, &sample);
    }
    assert_false(atomicity.deadlock);
    assert_int_equal(atomicity.conflict.atomic, conflict);
    assert_int_equal(atomicity.view.atomic, view);
}

static void assert_atomic(const char *text) {
    assert_verdicts(text, true, true);
}

static void assert_not_atomic(const char *text) {
    assert_verdicts(text, false, false);
}

static void assert_view_atomic_only(const char *text) {
    assert_verdicts(text, false, true);
}

static bool gets_stuck(const char *text) {
    struct sample sample;
    struct atomicity atomicity;
    check(&atomicity, &sample, text);
    return atomicity.deadlock;
}

/* ---- examples of the papers ---- */

static void a_blind_write_between_two_is_view_atomic_only(void **state) {
    (void)state;
    assert_view_atomic_only("T1.begin T1.w(x) T1.w(x) T1.end T2.begin T2.w(x) T2.end");
}

/* Figures 4 and 6 of PPoPP 2006, two units at a time. */
static void figures_4_and_6(void **state) {
    (void)state;
    assert_view_atomic_only("T1.begin T1.w(x) T1.acq(l) T1.w(x) T1.rel(l) T1.end "
                            "T2.begin T2.w(x) T2.end");
    assert_not_atomic("T3.begin T3.acq(l) T3.r(x) T3.w(x) T3.rel(l) T3.end "
                      "T2.begin T2.w(x) T2.end");
}

static void figure_7_is_atomic(void **state) {
    (void)state;
    assert_atomic(
        "T2.begin T2.r(x) T2.end T1.begin T1.w(x) T1.r(y) T1.end T3.begin T3.w(y) T3.end");
}

/* PPoPP 2006, 6.1: reduction reports this one. */
static void two_accesses_against_one_read_are_atomic(void **state) {
    (void)state;
    assert_atomic("T1.begin T1.r(x) T1.w(x) T1.end T2.begin T2.r(x) T2.end");
}

/* Figure 1 of both papers: size(), then toArray(), with removeAllElements() between them. */
static void the_constructor_of_vector_is_not_atomic(void **state) {
    (void)state;
    assert_not_atomic("T1.begin T1.acq(l) T1.r(x) T1.rel(l) T1.acq(l) T1.r(x) T1.rel(l) T1.end "
                      "T2.begin T2.acq(l) T2.w(x) T2.rel(l) T2.end");
}

/* Example 6 of TSE 2006: only all three together are not atomic. */
static void example_6_needs_three_transactions(void **state) {
    (void)state;
    assert_not_atomic("T1.begin T1.w(x) T2.begin T2.r(x) T2.w(z) T2.end T3.begin T3.r(z) T3.r(y) "
                      "T3.end T1.w(y) T1.end");
    assert_atomic("T1.begin T1.w(x) T2.begin T2.r(x) T2.w(z) T2.end T1.w(y) T1.end");
    assert_atomic("T1.begin T1.w(x) T3.begin T3.r(z) T3.r(y) T3.end T1.w(y) T1.end");
    assert_atomic("T2.begin T2.r(x) T2.w(z) T2.end T3.begin T3.r(z) T3.r(y) T3.end");
}

/* TSE 2006, 6.5: the threads t2, t3 and t4 of Figure 4. */
static void each_reader_has_one_lock_of_the_writer(void **state) {
    (void)state;
    assert_atomic("T2.begin T2.acq(b) T2.r(x) T2.rel(b) T2.end "
                  "T3.begin T3.acq(a) T3.r(x) T3.rel(a) T3.end "
                  "T4.begin T4.r(x) T4.acq(a) T4.acq(b) T4.w(x) T4.rel(b) T4.rel(a) T4.end");
}

/* TSE 2006, 6.1: each of the four patterns on one variable. */
static void patterns_on_one_variable(void **state) {
    (void)state;
    assert_not_atomic("T1.begin T1.w(x) T1.w(x) T1.end T2.begin T2.r(x) T2.end");
    assert_not_atomic("T1.begin T1.r(x) T1.r(x) T1.end T2.begin T2.w(x) T2.end");
    assert_not_atomic("T1.begin T1.w(x) T1.r(x) T1.end T2.begin T2.w(x) T2.end");
    assert_not_atomic("T1.begin T1.r(x) T1.w(x) T1.end T2.begin T2.w(x) T2.end");
}

/* ---- where the papers need care ---- */

static void commit_nodes_must_be_innermost(void **state) {
    (void)state;
    assert_not_atomic("T1.begin T1.acq(l) T1.w(z) T1.r(x) T1.r(x) T1.rel(l) T1.end "
                      "T2.begin T2.w(x) T2.end T3.begin T3.acq(l) T3.w(z) T3.rel(l) T3.end");
}

static void thread_order_between_transactions_counts(void **state) {
    (void)state;
    assert_not_atomic("T2.begin T2.w(x) T1.begin T1.r(x) T1.end T1.begin T1.r(y) T1.end "
                      "T2.w(y) T2.end");
}

static void a_read_of_the_own_write_in_one_section_is_no_initial_read(void **state) {
    (void)state;
    assert_view_atomic_only("T1.begin T1.acq(l) T1.w(x) T1.rel(l) T1.acq(l) T1.w(x) T1.rel(l) "
                            "T1.end T2.begin T2.acq(l) T2.w(x) T2.r(x) T2.rel(l) T2.end");
}

static void single_events_of_two_threads_cut_a_block_together(void **state) {
    (void)state;
    assert_not_atomic("T1.w(x) T2.begin T2.w(y) T3.r(y) T3.r(x) T2.r(x) T2.end");
    assert_atomic("T2.begin T2.w(y) T3.r(y) T3.r(x) T2.r(x) T2.end");
    assert_atomic("T1.w(x) T2.begin T2.w(y) T2.r(x) T2.end");
}

/* PPoPP 2006, 5.1, part 2 does not hold: two transactions that are not atomic are so together with
 * a write after them. */
static void a_last_write_hides_the_order_of_those_before(void **state) {
    (void)state;
    assert_not_atomic("T1.begin T1.r(x) T1.w(x) T1.end T2.begin T2.w(x) T2.end");
    assert_view_atomic_only("T3.fork(T1) T3.fork(T2) T1.begin T1.r(x) T1.w(x) T1.end "
                            "T2.begin T2.w(x) T2.end T3.join(T1) T3.join(T2) T3.w(x)");
}

/* ---- deadlocks ---- */

static void rings_of_locks_get_stuck(void **state) {
    (void)state;
    assert_true(gets_stuck("T1.acq(a) T1.acq(b) T1.rel(b) T1.rel(a) "
                           "T2.acq(b) T2.acq(a) T2.rel(a) T2.rel(b)"));
    assert_true(gets_stuck("T1.acq(a) T1.acq(b) T1.rel(b) T1.rel(a) T2.acq(b) T2.acq(c) T2.rel(c) "
                           "T2.rel(b) T3.acq(c) T3.acq(a) T3.rel(a) T3.rel(c)"));
    assert_false(gets_stuck("T1.acq(g) T1.acq(a) T1.acq(b) T1.rel(b) T1.rel(a) T1.rel(g) "
                            "T2.acq(g) T2.acq(b) T2.acq(a) T2.rel(a) T2.rel(b) T2.rel(g)"));
    assert_false(gets_stuck("T1.acq(a) T1.acq(b) T1.rel(b) T1.rel(a) T1.fork(T2) "
                            "T2.acq(b) T2.acq(a) T2.rel(a) T2.rel(b)"));
}

/* Example 3 of TSE 2006: no access of T1 comes between the two of T2, but for a deadlock. */
static void a_deadlock_is_told_beside_the_verdict(void **state) {
    (void)state;
    struct sample sample;
    struct atomicity atomicity;
    check(&atomicity, &sample,
          "T1.begin T1.acq(a) T1.acq(b) T1.rel(b) T1.w(x) T1.rel(a) T1.end "
          "T2.begin T2.acq(b) T2.acq(a) T2.rel(a) T2.r(x) T2.r(x) T2.rel(b) T2.end");
    assert_true(atomicity.deadlock);
}

static void waiting_for_one_who_waits_gets_stuck(void **state) {
    (void)state;
    assert_true(gets_stuck("T1.fork(T2) T2.acq(l) T2.rel(l) T1.acq(l) T1.join(T2) T1.rel(l)"));
    assert_true(gets_stuck("T1.acq(l) T1.rel(l) T2.acq(l) T2.w(x)"));
    assert_false(gets_stuck("T1.fork(T2) T2.acq(l) T2.rel(l) T1.join(T2) T1.acq(l)"));
    assert_true(gets_stuck("T2.acq(l) T2.rel(l) T1.acq(l) T1.snd(c) T2.snd(c) T1.rcv(c) T2.rcv(c) "
                           "T1.rel(l)"));
}

/* ---- locks ---- */

static void locks_make_blocks_atomic(void **state) {
    (void)state;
    assert_atomic(
        "T1.begin T1.acq(l) T1.r(x) T1.w(x) T1.rel(l) T1.end "
        "T2.begin T2.acq(l) T2.r(x) T2.w(x) T2.rel(l) T2.end T3.acq(l) T3.w(x) T3.rel(l)");
    assert_not_atomic("T1.begin T1.acq(l) T1.r(x) T1.w(x) T1.rel(l) T1.end "
                      "T2.begin T2.acq(m) T2.r(x) T2.w(x) T2.rel(m) T2.end");
}

static void the_inner_release_of_a_lock_that_is_held_twice_does_nothing(void **state) {
    (void)state;
    assert_atomic("T1.begin T1.acq(l) T1.acq(l) T1.r(x) T1.rel(l) T1.w(x) T1.rel(l) T1.end "
                  "T2.acq(l) T2.w(x) T2.rel(l)");
}

/* The graph of conflicts has no cycle, since each write is a unit of its own: but T2 can run as a
 * whole only when T1 does not hold the lock. */
static void a_loose_critical_section_is_entered_by_no_serial_block(void **state) {
    (void)state;
    assert_not_atomic("T1.acq(l) T1.w(x) T1.w(x) T1.rel(l) "
                      "T2.begin T2.acq(l) T2.rel(l) T2.r(x) T2.end");
    assert_atomic("T1.acq(l) T1.w(x) T1.w(x) T1.rel(l) T2.begin T2.r(x) T2.end");
    assert_atomic(
        "T1.acq(l) T1.w(x) T1.w(x) T1.rel(l) T2.begin T2.acq(l) T2.r(x) T2.rel(l) T2.end");
}

static void a_section_around_a_block_guards_it(void **state) {
    (void)state;
    assert_atomic("T1.acq(l) T1.begin T1.r(x) T1.w(x) T1.end T1.rel(l) "
                  "T2.acq(l) T2.begin T2.w(x) T2.end T2.rel(l)");
    assert_not_atomic("T1.acq(l) T1.begin T1.r(x) T1.w(x) T1.end T1.rel(l) "
                      "T2.begin T2.w(x) T2.end");
}

/* ---- units ---- */

static void events_outside_blocks_are_units_of_their_own(void **state) {
    (void)state;
    assert_atomic("T1.r(x) T1.r(x) T1.w(x) T2.w(x) T2.r(x)");
    assert_atomic("T1.begin T1.r(x) T1.end T1.begin T1.r(x) T1.end T2.w(x)");
}

static void inner_blocks_are_part_of_the_outer(void **state) {
    (void)state;
    assert_not_atomic("T1.begin T1.begin T1.r(x) T1.end T1.begin T1.r(x) T1.end T1.end T2.w(x)");
}

static void an_open_block_reaches_to_the_end(void **state) {
    (void)state;
    assert_not_atomic("T1.begin T1.r(x) T2.w(x) T1.r(x)");
    assert_not_atomic("T1.begin T1.begin T1.r(x) T1.end T2.w(x) T1.r(x)");
}

static void fork_and_join_split_blocks_and_make_order(void **state) {
    (void)state;
    assert_atomic("T1.begin T1.r(x) T1.fork(T2) T1.r(x) T1.end T2.w(x)");
    assert_not_atomic("T1.fork(T2) T1.begin T1.r(x) T1.r(x) T1.end T2.w(x)");
    assert_atomic("T1.begin T1.r(x) T1.r(x) T1.end T1.fork(T2) T2.w(x)");
    assert_atomic("T1.fork(T2) T2.w(x) T1.join(T2) T1.begin T1.r(x) T1.r(x) T1.end");
    assert_not_atomic("T1.fork(T2) T2.w(x) T1.begin T1.r(x) T1.r(x) T1.end T1.join(T2)");
    assert_atomic("T3.w(x) T1.begin T1.r(x) T1.join(T3) T1.r(x) T1.end");
}

/* Also through threads that do nothing, and from thread to thread. */
static void order_goes_through_threads_without_accesses(void **state) {
    (void)state;
    assert_atomic("T1.w(x) T1.fork(T3) T2.join(T3) T2.begin T2.r(x) T2.r(x) T2.end");
    assert_atomic("T1.w(x) T1.fork(T3) T3.fork(T2) T2.begin T2.r(x) T2.r(x) T2.end");
}

/* ---- barriers ---- */

static void a_barrier_keeps_a_write_out_of_a_block(void **state) {
    (void)state;
    assert_atomic(
        "T1.begin T1.r(x) T1.r(x) T1.end T1.snd(c) T2.snd(c) T1.rcv(c) T2.rcv(c) T2.w(x)");
    assert_not_atomic("T1.begin T1.r(x) T1.r(x) T1.end T1.snd(c) T2.w(x) T2.snd(c) T1.rcv(c) "
                      "T2.rcv(c)");
    assert_not_atomic("T3.w(x) T1.begin T1.r(x) T1.r(x) T1.end T1.snd(c) T2.snd(c) T1.rcv(c) "
                      "T2.rcv(c) T2.w(x)");
}

static void a_barrier_splits_a_block(void **state) {
    (void)state;
    assert_atomic(
        "T1.begin T1.r(x) T1.snd(c) T2.w(x) T2.snd(c) T2.rcv(c) T1.rcv(c) T1.r(x) T1.end");
    assert_atomic(
        "T1.begin T1.r(x) T1.snd(c) T2.snd(c) T2.rcv(c) T2.w(x) T1.rcv(c) T1.r(x) T1.end");
}

/* Two channels take turns, here on two variables. */
static void each_round_of_a_barrier_makes_order(void **state) {
    (void)state;
    assert_atomic(
        "T1.begin T1.w(x) T1.w(x) T1.end T1.snd(c) T2.snd(c) T1.rcv(c) T2.rcv(c) "
        "T2.begin T2.r(x) T2.w(y) T2.w(y) T2.end T1.snd(d) T2.snd(d) T2.rcv(d) T1.rcv(d) "
        "T1.r(y) T1.snd(c) T2.snd(c) T1.rcv(c) T2.rcv(c) T2.begin T2.w(y) T2.w(y) T2.end");
}

/* A round waits for those who take part in it and not for those of the round before. */
static void rounds_of_different_threads_make_no_order(void **state) {
    (void)state;
    assert_not_atomic("T1.w(x) T1.snd(c) T2.snd(c) T1.rcv(c) T2.rcv(c) T3.snd(c) T4.snd(c) "
                      "T3.rcv(c) T4.rcv(c) T3.begin T3.r(x) T3.r(x) T3.end");
    assert_atomic("T1.w(x) T1.snd(c) T2.snd(c) T1.rcv(c) T2.rcv(c) T2.snd(c) T3.snd(c) T3.rcv(c) "
                  "T2.rcv(c) T3.begin T3.r(x) T3.r(x) T3.end");
}

static void a_round_may_be_cut_off_at_the_end(void **state) {
    (void)state;
    struct sample sample;
    parse(&sample, "T1.snd(c) T2.snd(c) T1.rcv(c) T2.rcv(c) T2.snd(c) T1.snd(c) T2.rcv(c)");
    assert_true(units_is_barrier(&sample, 0));
    parse(&sample, "T1.snd(c) T2.snd(c)");
    assert_true(units_is_barrier(&sample, 0));
}

static void blocks_may_end_and_begin_at_a_barrier(void **state) {
    (void)state;
    struct sample sample;
    parse(&sample, "T1.begin T1.snd(c) T1.end T2.snd(c) T1.begin T1.rcv(c) T2.rcv(c) T1.end");
    assert_true(units_is_barrier(&sample, 0));
}

static void other_channels_are_no_barriers(void **state) {
    (void)state;
    static const char *const texts[] = {
        "T1.snd(c) T2.rcv(c)",                               /* a semaphore */
        "T1.snd(c) T1.rcv(c)",                               /* alone */
        "T1.snd(c) T1.rcv(c) T2.snd(c) T2.rcv(c)",           /* one after the other */
        "T1.snd(c) T2.snd(c) T1.rcv(c) T1.snd(c) T2.rcv(c)", /* arrives before all have left */
        "T1.snd(c) T2.snd(c) T1.w(x) T1.rcv(c) T2.rcv(c)",   /* does something while it waits */
        "T1.snd(c) T2.snd(c) T1.rcv(c) T2.w(x)",             /* does not leave, but goes on */
        "T1.snd(c) T1.snd(c) T2.snd(c) T1.rcv(c) T2.rcv(c)", /* arrives twice */
        "T1.snd(c) T2.snd(c) T1.rcv(c) T2.rcv(c) T3.rcv(c)", /* leaves without arriving */
        "T1.snd(c) T2.snd(c) T1.rcv(c) T2.rcv(c) T1.snd(c)", /* the last round has one only */
        "T1.snd(c) T1.snd(d) T2.snd(c) T1.rcv(c) T2.rcv(c)", /* is at another one, too */
        "T1.snd(c) T2.snd(c) T1.rcv(c) T2.rcv(c) T1.rcv(c)"  /* leaves twice */
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct sample sample;
        parse(&sample, texts[i]);
        if (units_is_barrier(&sample, 0))
            fail_msg("a barrier: %s", texts[i]);
        assert_false(units_are_tidy(&sample));
    }
}

static void channels_that_are_no_barriers_do_nothing(void **state) {
    (void)state;
    assert_not_atomic("T1.w(x) T1.snd(c) T2.rcv(c) T2.begin T2.r(x) T2.r(x) T2.end");
    assert_not_atomic("T2.begin T2.r(x) T2.snd(c) T2.r(x) T2.end T1.rcv(c) T1.w(x)");
}

/* ---- what samples are like ---- */

static bool is_pair(const char *text) {
    struct sample sample;
    struct units units;
    parse(&sample, text);
    units_find(&units, &sample);
    return units_are_a_pair(&units, &sample);
}

static void pairs_are_two_transactions_and_nothing_else(void **state) {
    (void)state;
    assert_true(is_pair("T1.begin T1.w(x) T1.end T2.begin T2.r(x) T2.w(y)"));
    assert_true(is_pair("T1.begin T1.w(x) T1.end T2.begin T2.r(x) T2.end T1.begin T1.end"));
    assert_false(is_pair("T1.begin T1.w(x) T1.end T2.begin T2.r(x) T2.end T3.w(x)"));
    assert_false(is_pair("T1.begin T1.w(x) T1.end T2.begin T2.r(x) T2.end T2.r(x)"));
    assert_false(is_pair("T1.begin T1.w(x) T1.end T1.begin T1.w(x) T1.end"));
    assert_false(
        is_pair("T1.begin T1.w(x) T1.end T1.begin T1.w(x) T1.end T2.begin T2.w(x) T2.end"));
    assert_false(is_pair("T1.fork(T2) T1.begin T1.w(x) T1.end T2.begin T2.r(x) T2.end"));
}

static void tidy_threads_close_first_what_they_opened_last(void **state) {
    (void)state;
    static const char *const untidy[] = {
        "T1.acq(a) T1.acq(b) T1.rel(a) T1.rel(b)", "T1.begin T1.acq(a) T1.end T1.rel(a)",
        "T1.acq(a) T1.begin T1.rel(a) T1.end", "T1.acq(a) T1.acq(b) T1.acq(a) T1.rel(b) T1.rel(a)"};
    struct sample sample;
    for (size_t i = 0; i < sizeof untidy / sizeof untidy[0]; i++) {
        parse(&sample, untidy[i]);
        assert_false(units_are_tidy(&sample));
    }
    parse(&sample, "T1.acq(a) T1.begin T1.acq(b) T2.begin T1.acq(a) T1.rel(a) T1.rel(b) T1.end");
    assert_true(units_are_tidy(&sample));
}

static void too_large_a_search_is_not_decided(void **state) {
    (void)state;
    struct sample sample;
    struct atomicity atomicity;
    parse(&sample, "T1.r(x) T1.w(x) T1.r(x) T2.r(x) T2.w(x) T2.w(x)");
    atomicity_check(&atomicity, &sample, ATOMICITY_STATES);
    assert_true(atomicity.decided);
    atomicity_check(&atomicity, &sample, 16);
    assert_false(atomicity.decided);
}

/* ---- all interleavings, one by one ---- */

enum { MOST_STEPS = 8, MOST_INTERLEAVINGS = 40320 };

/* Everything again in the plainest way, on samples whose channels are all barriers of always the
 * same threads: each interleaving is a list of events, and is compared with each serial one as the
 * definitions say. */
struct listing {
    const struct sample *sample;
    unsigned block[SAMPLE_EVENTS]; /* the transaction of an event, or 0 */
    size_t steps, count, serial_count;
    bool stuck;
    uint8_t (*all)[MOST_STEPS], (*serial)[MOST_STEPS];
};

static bool uses_channel(const struct st_event *event) {
    return event->op == ST_SEND || event->op == ST_RECEIVE;
}

static bool does_something(const struct st_event *event) {
    return event->op <= ST_JOIN || uses_channel(event);
}

static bool ran(const uint8_t *list, size_t length, size_t event) {
    return memchr(list, (int)event, length) != NULL;
}

/* May the event come next after those in the list? */
static bool may_follow(const struct sample *sample, const uint8_t *list, size_t length, size_t i) {
    const struct st_event *event = &sample->events[i];
    uint32_t holder = SAMPLE_THREADS;
    for (size_t j = 0; j < sample->count; j++) {
        const struct st_event *other = &sample->events[j];
        if (ran(list, length, j) || !does_something(other))
            continue;
        if ((other->thread == event->thread && j < i) ||
            (other->op == ST_FORK && other->target == event->thread) ||
            (event->op == ST_RECEIVE && other->op == ST_SEND && other->target == event->target &&
             j < i) ||
            (event->op == ST_JOIN && other->thread == event->target) ||
            (event->op == ST_JOIN && other->op == ST_FORK && other->target == event->target))
            return false;
    }
    for (size_t k = 0; k < length; k++) {
        const struct st_event *other = &sample->events[list[k]];
        if (other->target == event->target && other->op == ST_ACQUIRE)
            holder = other->thread;
        else if (other->target == event->target && other->op == ST_RELEASE)
            holder = SAMPLE_THREADS;
    }
    return event->op != ST_ACQUIRE || holder == SAMPLE_THREADS;
}

static bool is_serial(const struct listing *listing, const uint8_t *list) {
    for (size_t i = 0; i < listing->steps; i++)
        for (size_t j = i + 2; j < listing->steps; j++)
            if (listing->block[list[i]] && listing->block[list[i]] == listing->block[list[j]] &&
                listing->block[list[j - 1]] != listing->block[list[i]])
                return false;
    return true;
}

static void list_from(struct listing *listing, uint8_t *list, size_t length) {
    bool moved = false;
    if (length == listing->steps) {
        assert_true(listing->count < MOST_INTERLEAVINGS);
        memcpy(listing->all[listing->count++], list, length);
        if (is_serial(listing, list))
            memcpy(listing->serial[listing->serial_count++], list, length);
        return;
    }
    for (size_t i = 0; i < listing->sample->count; i++) {
        if (!does_something(&listing->sample->events[i]) || ran(list, length, i) ||
            !may_follow(listing->sample, list, length, i))
            continue;
        moved = true;
        list[length] = (uint8_t)i;
        list_from(listing, list, length + 1);
    }
    listing->stuck |= !moved;
}

static void find_blocks(struct listing *listing) {
    unsigned depth[SAMPLE_THREADS] = {0}, current[SAMPLE_THREADS] = {0}, count = 0;
    for (size_t i = 0; i < listing->sample->count; i++) {
        const struct st_event *event = &listing->sample->events[i];
        uint32_t t = event->thread;
        if (event->op == ST_BEGIN && depth[t]++ == 0)
            current[t] = ++count;
        if (event->op == ST_END && --depth[t] == 0)
            current[t] = 0;
        bool splits = event->op == ST_FORK || event->op == ST_JOIN || uses_channel(event);
        if (splits && depth[t])
            current[t] = ++count; /* for the events after it */
        else
            listing->block[i] = current[t];
    }
}

static bool conflict(const struct st_event *a, const struct st_event *b) {
    return a->op <= ST_WRITE && b->op <= ST_WRITE && a->target == b->target &&
           a->thread != b->thread && (a->op == ST_WRITE || b->op == ST_WRITE);
}

/* Where the event is in the list. */
static size_t place(const uint8_t *list, size_t event) {
    size_t at = 0;
    while (list[at] != event)
        at++;
    return at;
}

static bool conflict_equivalent(const struct listing *listing, const uint8_t *a, const uint8_t *b) {
    for (size_t i = 0; i < listing->steps; i++)
        for (size_t j = i + 1; j < listing->steps; j++)
            if (conflict(&listing->sample->events[a[i]], &listing->sample->events[a[j]]) &&
                place(b, a[i]) > place(b, a[j]))
                return false;
    return true;
}

/* The last write to the variable among the first `length` events of the list; -1 if none. */
static int last_write(const struct listing *listing, const uint8_t *list, size_t length,
                      uint32_t variable) {
    while (length-- > 0) {
        const struct st_event *event = &listing->sample->events[list[length]];
        if (event->op == ST_WRITE && event->target == variable)
            return list[length];
    }
    return -1;
}

static bool view_equivalent(const struct listing *listing, const uint8_t *a, const uint8_t *b) {
    for (size_t i = 0; i < listing->steps; i++) {
        const struct st_event *event = &listing->sample->events[a[i]];
        if (event->op == ST_READ && last_write(listing, a, i, event->target) !=
                                        last_write(listing, b, place(b, a[i]), event->target))
            return false;
        if (event->op <= ST_WRITE && last_write(listing, a, listing->steps, event->target) !=
                                         last_write(listing, b, listing->steps, event->target))
            return false;
    }
    return true;
}

typedef bool equivalence(const struct listing *listing, const uint8_t *a, const uint8_t *b);

static bool is_like_a_serial_one(const struct listing *listing, const uint8_t *list,
                                 equivalence *equivalent) {
    for (size_t s = 0; s < listing->serial_count; s++)
        if (equivalent(listing, list, listing->serial[s]))
            return true;
    return false;
}

static bool are_all_like_serial_ones(const struct listing *listing, equivalence *equivalent) {
    for (size_t i = 0; i < listing->count; i++)
        if (!is_like_a_serial_one(listing, listing->all[i], equivalent))
            return false;
    return true;
}

static void assert_same(const struct listing *listing, const struct atomicity_verdict *verdict,
                        equivalence *equivalent, uint64_t seed) {
    if (verdict->atomic != are_all_like_serial_ones(listing, equivalent)) {
        sample_print(stderr, listing->sample);
        fail_msg("seed %llu: the verdict is wrong", (unsigned long long)seed);
    }
    assert_int_equal(verdict->length, verdict->atomic ? 0 : listing->steps);
    if (verdict->atomic)
        return;
    assert_false(is_like_a_serial_one(listing, verdict->example, equivalent));
    for (size_t i = 0; i < verdict->length; i++)
        assert_true(may_follow(listing->sample, verdict->example, i, verdict->example[i]));
}

/* The longest beginning of the sample that can be gone through; false if that has nothing. */
static bool cut(struct sample *sample, size_t *steps) {
    size_t count = 0;
    *steps = 0;
    for (; count < sample->count; count++) {
        bool is_step = does_something(&sample->events[count]);
        if (*steps + is_step > MOST_STEPS)
            break;
        *steps += is_step;
    }
    sample->count = count;
    return *steps > 0;
}

static bool has_only_barriers(const struct sample *sample) {
    for (size_t i = 0; i < sample->count; i++)
        if (uses_channel(&sample->events[i]) && !units_is_barrier(sample, sample->events[i].target))
            return false;
    return true;
}

static void check_one_by_one(const struct sample *sample, struct listing *listing, uint64_t seed) {
    struct atomicity atomicity;
    uint8_t list[MOST_STEPS];
    listing->sample = sample;
    listing->count = listing->serial_count = 0;
    listing->stuck = false;
    memset(listing->block, 0, sizeof listing->block);
    find_blocks(listing);
    list_from(listing, list, 0);
    atomicity_check(&atomicity, sample, ATOMICITY_STATES);
    assert_true(atomicity.decided);
    assert_int_equal(atomicity.deadlock, listing->stuck);
    assert_same(listing, &atomicity.conflict, conflict_equivalent, seed);
    assert_same(listing, &atomicity.view, view_equivalent, seed);
}

/* From both generators: the one for engines has no discipline, so that sections and blocks overlap
 * and locks are taken in any order. */
static void going_through_interleavings_one_by_one_gives_the_same(void **state) {
    (void)state;
    struct listing listing = {0};
    listing.all = calloc(MOST_INTERLEAVINGS, sizeof *listing.all);
    listing.serial = calloc(MOST_INTERLEAVINGS, sizeof *listing.serial);
    size_t checked = 0, bad = 0, stuck = 0, barriers = 0;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        struct sample sample;
        if (seed % 3)
            generate_units(&sample, seed);
        else
            generate(&sample, seed);
        if (!cut(&sample, &listing.steps) || !has_only_barriers(&sample))
            continue;
        check_one_by_one(&sample, &listing, seed);
        checked++;
        bad += !are_all_like_serial_ones(&listing, view_equivalent);
        stuck += listing.stuck;
        barriers += units_is_barrier(&sample, 0);
    }
    free(listing.all);
    free(listing.serial);
    assert_true(checked > 500 && bad > 50 && stuck > 10 && barriers > 10);
}

/* ---- the generator ---- */

static void samples_are_tidy_and_of_all_kinds(void **state) {
    (void)state;
    size_t kinds[UNITS_KINDS] = {0}, barriers = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct sample sample;
        kinds[generate_units(&sample, seed)]++;
        assert_true(units_are_tidy(&sample));
        barriers += units_is_barrier(&sample, 0);
    }
    for (int kind = 0; kind < UNITS_KINDS; kind++)
        assert_true(kinds[kind] > 0);
    assert_true(barriers > 0);
}

static void what_is_conflict_atomic_is_view_atomic(void **state) {
    (void)state;
    size_t both = 0, one = 0, none = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct sample sample;
        struct atomicity atomicity;
        generate_units(&sample, seed);
        atomicity_check(&atomicity, &sample, ATOMICITY_STATES);
        if (!atomicity.decided || atomicity.deadlock)
            continue;
        assert_true(atomicity.view.atomic || !atomicity.conflict.atomic);
        both += atomicity.conflict.atomic;
        one += atomicity.view.atomic && !atomicity.conflict.atomic;
        none += !atomicity.view.atomic;
    }
    assert_true(both > 200 && one > 10 && none > 200);
}

/* ---- the net ---- */

/* Two accesses conflict, but are in the same order in all interleavings. */
static bool has_order(const struct sample *sample, void *context) {
    struct atomicity atomicity;
    bool conflicts = false;
    (void)context;
    for (size_t i = 0; i < sample->count; i++)
        for (size_t j = 0; j < i; j++)
            conflicts |= conflict(&sample->events[i], &sample->events[j]);
    if (!conflicts || !units_are_tidy(sample))
        return false;
    atomicity_check(&atomicity, sample, ATOMICITY_STATES);
    return !atomicity.conflict.contended;
}

/* Of two barriers one goes, and the other goes on without its third thread. */
static void shrinking_keeps_samples_tidy(void **state) {
    (void)state;
    struct sample sample;
    parse(&sample, "T1.begin T1.acq(l) T1.r(x) T1.rel(l) T1.end T1.snd(a) T2.snd(a) T3.snd(a) "
                   "T1.rcv(a) T2.rcv(a) T3.rcv(a) T1.snd(b) T2.snd(b) T2.rcv(b) T1.rcv(b) T2.w(x) "
                   "T3.r(y)");
    assert_true(has_order(&sample, NULL));
    shrink(&sample, has_order, NULL);
    assert_true(has_order(&sample, NULL));
    assert_int_equal(sample.count, 5); /* r(x), a round that is cut off after one receive, w(x) */
}

static const struct setup *setup_named(const char *name) {
    for (const struct setup *setup = setups; setup->name; setup++)
        if (strcmp(setup->name, name) == 0)
            return setup;
    fail_msg("no setup: %s", name);
    return NULL;
}

/* Is the setup forgiven when it says this of the sample? */
static bool may_say(const char *setup, enum st_verdict said, const char *text) {
    struct sample sample;
    struct atomicity atomicity;
    struct st_prediction prediction;
    char why[FORESIGHT_TEXT];
    check(&atomicity, &sample, text);
    st_prediction_init(&prediction);
    prediction.atomic = said;
    return foresight_judge(setup_named(setup), &prediction, &sample, &atomicity, why);
}

static const char *const good_pair = "T1.begin T1.r(x) T1.w(x) T1.end T2.begin T2.r(x) T2.end";
static const char *const bad_pair = "T1.begin T1.r(x) T1.w(x) T1.end T2.begin T2.w(x) T2.end";
static const char *const view_pair = "T1.begin T1.w(x) T1.w(x) T1.end T2.begin T2.w(x) T2.end";
static const char *const good_others = "T1.begin T1.r(x) T1.w(x) T1.end T2.r(x) T3.r(y)";
static const char *const bad_others = "T1.begin T1.r(x) T1.w(y) T1.w(x) T1.end T2.w(x) T3.r(x)";

static void misses_are_not_forgiven_where_there_is_a_promise(void **state) {
    (void)state;
    assert_false(may_say("reduction", ST_SERIALIZABLE, bad_others));
    assert_true(may_say("reduction eraser", ST_SERIALIZABLE, bad_others));
    assert_false(may_say("commit-node view", ST_SERIALIZABLE, bad_others));
    assert_true(may_say("commit-node view pairwise", ST_SERIALIZABLE, bad_others));
    assert_false(may_say("commit-node view pairwise", ST_SERIALIZABLE, bad_pair));
    assert_true(may_say("blocks 1v", ST_SERIALIZABLE, bad_others));
    assert_false(may_say("blocks 1v", ST_SERIALIZABLE, bad_pair));
    assert_true(may_say("blocks 2v", ST_SERIALIZABLE, bad_others));
    assert_false(may_say("blocks exact", ST_SERIALIZABLE, bad_others));
    assert_true(may_say("reduction", ST_SERIALIZABLE, good_pair));
}

static void false_alarms_are_not_forgiven_where_it_must_be_exact(void **state) {
    (void)state;
    assert_true(may_say("reduction", ST_NOT_SERIALIZABLE, good_pair));
    assert_false(may_say("blocks 2v", ST_NOT_SERIALIZABLE, good_pair));
    assert_true(may_say("blocks 2v", ST_NOT_SERIALIZABLE, good_others));
    assert_false(may_say("blocks exact", ST_NOT_SERIALIZABLE, good_others));
    assert_false(may_say("blocks exact", ST_UNDECIDED, good_others));
    assert_true(may_say("blocks exact", ST_SERIALIZABLE, good_others));
    assert_false(may_say("commit-node conflict", ST_NOT_SERIALIZABLE, good_pair));
    assert_true(may_say("commit-node conflict", ST_NOT_SERIALIZABLE, good_others));
}

static void each_is_held_to_its_notion(void **state) {
    (void)state;
    assert_false(may_say("commit-node conflict", ST_SERIALIZABLE, view_pair));
    assert_true(may_say("commit-node conflict", ST_NOT_SERIALIZABLE, view_pair));
    assert_true(may_say("commit-node view", ST_SERIALIZABLE, view_pair));
    assert_false(may_say("commit-node view", ST_NOT_SERIALIZABLE, view_pair));
}

static void nobody_may_be_certain_and_wrong(void **state) {
    (void)state;
    struct sample sample;
    struct atomicity atomicity;
    struct st_prediction prediction;
    char why[FORESIGHT_TEXT];
    check(&atomicity, &sample, good_pair);
    st_prediction_init(&prediction);
    prediction.atomic = ST_NOT_SERIALIZABLE;
    const struct setup *setup = setup_named("reduction eraser");
    assert_true(foresight_judge(setup, &prediction, &sample, &atomicity, why));
    prediction.by[ST_BLOCK_VIOLATION] = 1;
    assert_false(foresight_judge(setup, &prediction, &sample, &atomicity, why));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_blind_write_between_two_is_view_atomic_only),
        cmocka_unit_test(figures_4_and_6),
        cmocka_unit_test(figure_7_is_atomic),
        cmocka_unit_test(two_accesses_against_one_read_are_atomic),
        cmocka_unit_test(the_constructor_of_vector_is_not_atomic),
        cmocka_unit_test(example_6_needs_three_transactions),
        cmocka_unit_test(each_reader_has_one_lock_of_the_writer),
        cmocka_unit_test(patterns_on_one_variable),
        cmocka_unit_test(commit_nodes_must_be_innermost),
        cmocka_unit_test(thread_order_between_transactions_counts),
        cmocka_unit_test(a_read_of_the_own_write_in_one_section_is_no_initial_read),
        cmocka_unit_test(single_events_of_two_threads_cut_a_block_together),
        cmocka_unit_test(a_last_write_hides_the_order_of_those_before),
        cmocka_unit_test(rings_of_locks_get_stuck),
        cmocka_unit_test(a_deadlock_is_told_beside_the_verdict),
        cmocka_unit_test(waiting_for_one_who_waits_gets_stuck),
        cmocka_unit_test(locks_make_blocks_atomic),
        cmocka_unit_test(the_inner_release_of_a_lock_that_is_held_twice_does_nothing),
        cmocka_unit_test(a_loose_critical_section_is_entered_by_no_serial_block),
        cmocka_unit_test(a_section_around_a_block_guards_it),
        cmocka_unit_test(events_outside_blocks_are_units_of_their_own),
        cmocka_unit_test(inner_blocks_are_part_of_the_outer),
        cmocka_unit_test(an_open_block_reaches_to_the_end),
        cmocka_unit_test(fork_and_join_split_blocks_and_make_order),
        cmocka_unit_test(order_goes_through_threads_without_accesses),
        cmocka_unit_test(a_barrier_keeps_a_write_out_of_a_block),
        cmocka_unit_test(a_barrier_splits_a_block),
        cmocka_unit_test(each_round_of_a_barrier_makes_order),
        cmocka_unit_test(rounds_of_different_threads_make_no_order),
        cmocka_unit_test(a_round_may_be_cut_off_at_the_end),
        cmocka_unit_test(blocks_may_end_and_begin_at_a_barrier),
        cmocka_unit_test(other_channels_are_no_barriers),
        cmocka_unit_test(channels_that_are_no_barriers_do_nothing),
        cmocka_unit_test(pairs_are_two_transactions_and_nothing_else),
        cmocka_unit_test(tidy_threads_close_first_what_they_opened_last),
        cmocka_unit_test(too_large_a_search_is_not_decided),
        cmocka_unit_test(going_through_interleavings_one_by_one_gives_the_same),
        cmocka_unit_test(samples_are_tidy_and_of_all_kinds),
        cmocka_unit_test(what_is_conflict_atomic_is_view_atomic),
        cmocka_unit_test(shrinking_keeps_samples_tidy),
        cmocka_unit_test(misses_are_not_forgiven_where_there_is_a_promise),
        cmocka_unit_test(false_alarms_are_not_forgiven_where_it_must_be_exact),
        cmocka_unit_test(each_is_held_to_its_notion),
        cmocka_unit_test(nobody_may_be_certain_and_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
