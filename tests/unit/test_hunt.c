/* The parts of hunting that need no program: comparing output, candidates in a log, schedules with
 * few preemptions. */
#include "hunt/candidates.h"
#include "hunt/controlled/outcome.h"
#include "hunt/systematic.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- output ---- */

static struct st_control_log *new_log(uint32_t threads) {
    struct st_control_log *log = st_alloc(1, sizeof *log);
    log->thread_count = threads;
    log->threads[0].name = ST_CONTROL_MAIN;
    for (uint32_t i = 1; i < threads; i++) {
        log->threads[i].parent = ST_CONTROL_MAIN;
        log->threads[i].child = i - 1;
        log->threads[i].name = st_control_child(ST_CONTROL_MAIN, i - 1);
    }
    return log;
}

static struct st_controlled_run printed(const char *text, const struct st_control_log *log) {
    return (struct st_controlled_run){.output = {.text = (char *)text, .length = strlen(text)},
                                      .log = log};
}

static enum st_outcome outcome(const char *one, const char *other, const char *later, int status) {
    struct st_control_log *log = new_log(1);
    struct st_controlled_run first = printed(one, log), second = printed(other, log);
    struct st_controlled_run third = printed(later, log);
    struct st_expected expected;
    third.status = status;
    st_expected_learn(&expected, &first, &second);
    struct st_harm harm = st_find_harm(&expected, &third);
    enum st_outcome result = harm.outcome;
    st_harm_free(&harm);
    st_expected_free(&expected);
    free(log);
    return result;
}

static void what_varies_is_no_other_output(void **state) {
    (void)state;
    assert_int_equal(outcome("pid 7\nsum 3\n", "pid 8\nsum 3\n", "pid 9\nsum 3\n", 0),
                     ST_OUTCOME_SAME);
    assert_int_equal(outcome("pid 7\nsum 3\n", "pid 8\nsum 3\n", "pid 9\nsum 2\n", 0),
                     ST_OUTCOME_OUTPUT);
    assert_int_equal(outcome("sum 3\n", "sum 3\n", "sum 3\nmore\n", 0), ST_OUTCOME_OUTPUT);
    assert_int_equal(outcome("sum 3\n", "sum 3\n", "", 0), ST_OUTCOME_OUTPUT);
    /* Nothing can be said where even the number of lines varies. */
    assert_int_equal(outcome("a\n", "a\nb\n", "c\n", 0), ST_OUTCOME_SAME);
}

static void the_order_of_lines_is_no_other_output(void **state) {
    (void)state;
    assert_int_equal(outcome("a\nb\n", "a\nb\n", "b\na\n", 0), ST_OUTCOME_SAME);
    assert_int_equal(outcome("a\nb\n", "a\nb\n", "b\nb\n", 0), ST_OUTCOME_OUTPUT);
}

static void a_status_says_how_a_run_ended(void **state) {
    (void)state;
    assert_int_equal(outcome("a\n", "a\n", "a\n", 1), ST_OUTCOME_STATUS);
    assert_int_equal(outcome("a\n", "a\n", "a\n", 139), ST_OUTCOME_CRASH);
    assert_string_equal(st_status_signal(139), "SIGSEGV");
    assert_null(st_status_signal(3));
}

/* ---- logs ---- */

enum { BLOCK = 1, X = 0x1000, Y = 0x2000, M = 0x3000, Z = 0x4000 };

static void add(struct st_control_log *log, uint32_t thread, uint32_t block, uint16_t kind,
                uint64_t object, uint64_t site) {
    struct st_control_point *point = &log->log[log->point_count++];
    *point = (struct st_control_point){.site = site,
                                       .object = object,
                                       .clock = ++log->threads[thread].clock,
                                       .thread = thread,
                                       .block = block,
                                       .block_site = block ? 900 : 0,
                                       .size = 4,
                                       .kind = kind};
}

static bool has(const struct st_candidates *candidates, uint64_t first, uint64_t other,
                uint64_t last) {
    for (size_t i = 0; i < candidates->count; i++)
        if (candidates->list[i].first == first && candidates->list[i].other == other &&
            candidates->list[i].last == last)
            return true;
    return false;
}

static void a_write_can_come_between_two_reads(void **state) {
    (void)state;
    struct st_control_log *log = new_log(3);
    struct st_candidates candidates = {0};
    add(log, 1, BLOCK, ST_POINT_READ, X, 11);
    add(log, 1, BLOCK, ST_POINT_READ, X, 12);
    add(log, 2, 0, ST_POINT_WRITE, X, 21);
    add(log, 2, 0, ST_POINT_READ, X, 22);
    st_candidates_add_log(&candidates, log);
    assert_true(has(&candidates, 11, 21, 21));
    assert_false(has(&candidates, 11, 22, 22)); /* reads do not conflict with reads */
    assert_int_equal(candidates.stall_count, 1);
    st_candidates_free(&candidates);
    free(log);
}

static void two_variables_are_passed_in_order(void **state) {
    (void)state;
    struct st_control_log *log = new_log(3);
    struct st_candidates candidates = {0};
    add(log, 1, BLOCK, ST_POINT_WRITE, X, 11);
    add(log, 1, BLOCK, ST_POINT_WRITE, Y, 12);
    add(log, 2, 0, ST_POINT_READ, X, 21);
    add(log, 2, 0, ST_POINT_READ, Y, 22);
    st_candidates_add_log(&candidates, log);
    assert_true(has(&candidates, 11, 21, 22));
    assert_int_equal(candidates.count, 1);
    st_candidates_free(&candidates);
    free(log);
}

static void add_locked(struct st_control_log *log, uint32_t thread, uint32_t block, uint16_t kind,
                       uint64_t site) {
    add(log, thread, block, ST_POINT_LOCK, M, site);
    add(log, thread, block, kind, X, site + 1);
    add(log, thread, block, ST_POINT_UNLOCK, M, site + 2);
}

static void what_a_lock_rules_out_is_no_candidate(void **state) {
    (void)state;
    struct st_control_log *log = new_log(3);
    struct st_candidates candidates = {0};
    add(log, 1, BLOCK, ST_POINT_LOCK, M, 11);
    add(log, 1, BLOCK, ST_POINT_READ, X, 12);
    add(log, 1, BLOCK, ST_POINT_WRITE, X, 13);
    add(log, 1, BLOCK, ST_POINT_UNLOCK, M, 14);
    add_locked(log, 2, 0, ST_POINT_WRITE, 21);
    st_candidates_add_log(&candidates, log);
    assert_false(has(&candidates, 12, 22, 22));
    st_candidates_free(&candidates);
    free(log);
}

static void a_lock_that_is_released_rules_nothing_out(void **state) {
    (void)state;
    struct st_control_log *log = new_log(3);
    struct st_candidates candidates = {0};
    add_locked(log, 1, BLOCK, ST_POINT_READ, 11);
    add_locked(log, 1, BLOCK, ST_POINT_WRITE, 15);
    add_locked(log, 2, 0, ST_POINT_WRITE, 21);
    st_candidates_add_log(&candidates, log);
    assert_true(has(&candidates, 12, 22, 22));
    st_candidates_free(&candidates);
    free(log);
}

/* The stall with an order, of which there must be one. */
static const struct st_stall *find_chain(const struct st_candidates *candidates) {
    const struct st_stall *chain = NULL;
    for (size_t i = 0; i < candidates->stall_count; i++)
        if (candidates->stalls[i].order_count) {
            assert_null(chain);
            chain = &candidates->stalls[i];
        }
    assert_non_null(chain);
    return chain;
}

static void a_chain_passes_through_several_threads(void **state) {
    (void)state;
    struct st_control_log *log = new_log(4);
    struct st_candidates candidates = {0};
    for (uint32_t i = 0; i < 4; i++)
        log->threads[i].name = 100 + i;
    add_locked(log, 1, BLOCK, ST_POINT_WRITE, 11);
    add(log, 1, BLOCK, ST_POINT_READ, Y, 14);
    add_locked(log, 3, 0, ST_POINT_READ, 21); /* X, and passes it on */
    add(log, 3, 0, ST_POINT_WRITE, Z, 24);
    add(log, 2, 0, ST_POINT_READ, Z, 31);
    add(log, 2, 0, ST_POINT_WRITE, Y, 32);
    add(log, 0, 0, ST_POINT_WRITE, X, 41); /* the first thread is in no chain */
    add(log, 0, 0, ST_POINT_WRITE, Z, 42);
    st_candidates_add_log(&candidates, log);
    const struct st_stall *chain = find_chain(&candidates);
    assert_int_equal(chain->first, 13); /* where the lock is released */
    assert_int_equal(chain->order_count, 3);
    assert_int_equal(chain->order[0], 101);
    assert_int_equal(chain->order[1], 103);
    assert_int_equal(chain->order[2], 102);
    assert_ptr_equal(st_candidates_next_stall(&candidates), chain);
    assert_int_equal(st_candidates_next_stall(&candidates)->order_count, 0);
    st_candidates_free(&candidates);
    free(log);
}

static void those_that_were_tried_least_come_first(void **state) {
    (void)state;
    struct st_candidates candidates = {0};
    st_candidates_add(&candidates, &(struct st_candidate){.first = 1, .block = 1});
    st_candidates_add(&candidates, &(struct st_candidate){.first = 2, .block = 1});
    st_candidates_add(&candidates, &(struct st_candidate){.first = 3, .block = 2});
    st_candidates_add(&candidates, &(struct st_candidate){.first = 1, .block = 1});
    assert_int_equal(candidates.count, 3);
    assert_int_equal(st_candidates_next(&candidates)->first, 1);
    assert_int_equal(st_candidates_next(&candidates)->first, 3); /* of another block */
    assert_int_equal(st_candidates_next(&candidates)->first, 2);
    assert_int_equal(st_candidates_next(&candidates)->tries, 2);
    st_candidates_free(&candidates);
}

/* ---- few preemptions ---- */

static void each_contested_point_is_a_schedule_of_its_own(void **state) {
    (void)state;
    struct st_systematic *search = st_systematic_new();
    struct st_control_log *log = new_log(3);
    struct st_run_plan plan;
    st_plan_init(&plan);
    assert_true(st_systematic_next(search, &plan));
    assert_int_equal(plan.deviation_count, 0);
    add(log, 1, 0, ST_POINT_READ, X, 11);
    add(log, 1, 0, ST_POINT_READ, X, 12);
    log->log[0].contested = log->log[1].contested = 1 << 2;
    st_systematic_add(search, &plan, log);
    assert_false(st_systematic_next(search, &plan)); /* all of these preempt */
    assert_true(st_systematic_deepen(search));
    for (uint64_t clock = 1; clock <= 2; clock++) {
        assert_true(st_systematic_next(search, &plan));
        assert_int_equal(plan.deviation_count, 1);
        assert_int_equal(plan.deviations[0].clock, clock);
        assert_int_equal(plan.deviations[0].kind, ST_DEVIATION_PREEMPT);
        assert_int_equal(plan.deviations[0].next, log->threads[2].name);
    }
    assert_false(st_systematic_next(search, &plan));
    assert_true(st_systematic_is_complete(search));
    st_plan_free(&plan);
    st_systematic_free(search);
    free(log);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_varies_is_no_other_output),
        cmocka_unit_test(the_order_of_lines_is_no_other_output),
        cmocka_unit_test(a_status_says_how_a_run_ended),
        cmocka_unit_test(a_write_can_come_between_two_reads),
        cmocka_unit_test(two_variables_are_passed_in_order),
        cmocka_unit_test(what_a_lock_rules_out_is_no_candidate),
        cmocka_unit_test(a_lock_that_is_released_rules_nothing_out),
        cmocka_unit_test(a_chain_passes_through_several_threads),
        cmocka_unit_test(those_that_were_tried_least_come_first),
        cmocka_unit_test(each_contested_point_is_a_schedule_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
