#include "seriatim/seriatim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { T1 = 1, T2, T3 };
enum { BLOCK = 100, INNER = 101 };
enum { X = 7, Y = 8, LOCK = 7, CHANNEL = 7 }; /* of the same id, but separate kinds */

/* What the callback heard last, and how often it was called. */
struct heard {
    int calls;
    seriatim_violation last;
};

static void listen(void *context, const seriatim_violation *violation) {
    struct heard *heard = context;
    heard->calls++;
    heard->last = *violation;
}

static seriatim_checker *new_checker(struct heard *heard) {
    memset(heard, 0, sizeof *heard);
    seriatim_checker *checker = seriatim_checker_new(NULL);
    assert_non_null(checker);
    seriatim_checker_on_violation(checker, listen, heard);
    return checker;
}

/* The event is taken. The location is the event's number times ten, so that the two differ. */
static void feed(seriatim_checker *checker, uint64_t thread, seriatim_op op, uint64_t operand,
                 uint64_t number) {
    int status = seriatim_event(checker, thread, op, operand, number * 10);
    assert_string_equal(seriatim_error(checker), "");
    assert_int_equal(status, 0);
}

/* T1's block sees the write of T2 between its two accesses. */
static void feed_cut_block(seriatim_checker *checker, uint64_t first) {
    feed(checker, T1, SERIATIM_BEGIN, BLOCK, first);
    feed(checker, T1, SERIATIM_READ, X, first + 1);
    feed(checker, T2, SERIATIM_WRITE, X, first + 2);
    feed(checker, T1, SERIATIM_READ, X, first + 3);
    feed(checker, T1, SERIATIM_END, 0, first + 4);
}

static void the_version_is_that_of_the_header(void **state) {
    (void)state;
    assert_string_equal(seriatim_version(), SERIATIM_VERSION_STRING);
}

static void engines_can_be_listed_and_each_can_be_had(void **state) {
    (void)state;
    size_t count = 0;
    for (const char *name; (name = seriatim_engine_name(count)); count++) {
        assert_true(strlen(seriatim_engine_summary(count)) > 0);
        seriatim_checker *checker = seriatim_checker_new(name);
        assert_non_null(checker);
        seriatim_checker_free(checker);
    }
    assert_true(count > 0);
    assert_null(seriatim_engine_summary(count));
    assert_null(seriatim_engine_name(count + 5));
}

static void an_unknown_engine_gives_no_checker(void **state) {
    (void)state;
    assert_null(seriatim_checker_new("velocipede"));
    assert_null(seriatim_checker_new(""));
    seriatim_checker_free(NULL);
}

/* T1's block is cut by T2, which takes what T1 gives back in the middle and gives T1 what it takes
 * at the end: by locks, or by channels. */
static int count_cuts(const char *engine, seriatim_relation relation, bool lock_channel,
                      seriatim_op give, seriatim_op take) {
    seriatim_checker *checker = seriatim_checker_new(engine);
    assert_int_equal(seriatim_checker_relation(checker, relation), 0);
    if (lock_channel)
        assert_int_equal(seriatim_checker_lock_channel(checker, CHANNEL), 0);
    seriatim_event(checker, T1, SERIATIM_BEGIN, BLOCK, 1);
    seriatim_event(checker, T1, take, LOCK, 2);
    seriatim_event(checker, T1, give, LOCK, 3);
    seriatim_event(checker, T2, take, LOCK, 4);
    seriatim_event(checker, T2, give, LOCK, 5);
    seriatim_event(checker, T1, take, LOCK, 6);
    assert_int_equal(seriatim_checker_relation(checker, relation), -1); /* too late */
    seriatim_result result;
    seriatim_checker_finish(checker, &result);
    seriatim_checker_free(checker);
    return !result.serializable;
}

static void lock_order_counts_only_by_locks(void **state) {
    (void)state;
    const char *engine;
    for (size_t i = 0; (engine = seriatim_engine_name(i)); i++) {
        assert_true(count_cuts(engine, SERIATIM_LOCKS, false, SERIATIM_RELEASE, SERIATIM_ACQUIRE));
        assert_false(count_cuts(engine, SERIATIM_DATA, false, SERIATIM_RELEASE, SERIATIM_ACQUIRE));
        assert_true(count_cuts(engine, SERIATIM_LOCKS, true, SERIATIM_SEND, SERIATIM_RECEIVE));
        assert_false(count_cuts(engine, SERIATIM_DATA, true, SERIATIM_SEND, SERIATIM_RECEIVE));
        assert_true(count_cuts(engine, SERIATIM_DATA, false, SERIATIM_SEND, SERIATIM_RECEIVE));
    }
}

static void a_channel_that_was_used_is_no_lock_any_more(void **state) {
    (void)state;
    struct heard heard;
    seriatim_checker *checker = new_checker(&heard);
    assert_int_equal(seriatim_checker_lock_channel(checker, CHANNEL), 0);
    assert_int_equal(seriatim_checker_lock_channel(checker, CHANNEL), 0);
    feed(checker, T1, SERIATIM_SEND, CHANNEL + 1, 1);
    assert_int_equal(seriatim_checker_lock_channel(checker, CHANNEL + 1), -1);
    seriatim_checker_free(checker);
}

/* T2 writes X in the middle of T1's block; before and behind that, X may have been another one. */
static bool is_cut(const char *engine, bool before, bool behind) {
    seriatim_checker *checker = seriatim_checker_new(engine);
    seriatim_forget_variable(checker, X); /* nobody knows it */
    seriatim_event(checker, T1, SERIATIM_BEGIN, BLOCK, 1);
    seriatim_event(checker, T1, SERIATIM_WRITE, X, 2);
    if (before)
        seriatim_forget_variable(checker, X);
    seriatim_event(checker, T2, SERIATIM_WRITE, X, 3);
    if (behind)
        seriatim_forget_variable(checker, X);
    seriatim_event(checker, T1, SERIATIM_WRITE, X, 4);
    seriatim_event(checker, T1, SERIATIM_END, BLOCK, 5);
    seriatim_result result;
    seriatim_checker_finish(checker, &result);
    assert_int_equal(result.events, 5);
    seriatim_forget_variable(checker, X);
    seriatim_checker_free(checker);
    return !result.serializable;
}

static void a_variable_that_was_forgotten_is_another_one(void **state) {
    (void)state;
    const char *engine;
    for (size_t i = 0; (engine = seriatim_engine_name(i)); i++) {
        assert_true(is_cut(engine, false, false));
        assert_false(is_cut(engine, true, false));
        assert_false(is_cut(engine, false, true));
        assert_false(is_cut(engine, true, true));
    }
}

/* Another thread can write x between the two writes of the block, unless each is one of another x.
 */
static bool could_be_cut(bool forgotten) {
    seriatim_predictor *predictor = seriatim_predictor_new(NULL);
    seriatim_predictor_event(predictor, T1, SERIATIM_BEGIN, BLOCK, 1);
    seriatim_predictor_event(predictor, T1, SERIATIM_READ, X, 2);
    seriatim_predictor_event(predictor, T1, SERIATIM_WRITE, X, 3);
    seriatim_predictor_event(predictor, T1, SERIATIM_END, BLOCK, 4);
    if (forgotten)
        seriatim_predictor_forget_variable(predictor, X);
    seriatim_predictor_event(predictor, T2, SERIATIM_WRITE, X, 5);
    seriatim_prediction prediction;
    seriatim_predictor_finish(predictor, &prediction);
    bool found = prediction.violations;
    seriatim_predictor_free(predictor);
    return found;
}

static void a_prediction_knows_that_a_variable_is_another_one(void **state) {
    (void)state;
    assert_true(could_be_cut(false));
    assert_false(could_be_cut(true));
}

static void a_run_without_events_is_serializable(void **state) {
    (void)state;
    struct heard heard;
    seriatim_checker *checker = new_checker(&heard);
    seriatim_result result;
    seriatim_checker_finish(checker, &result);
    assert_int_equal(result.serializable, 1);
    assert_int_equal(result.events, 0);
    assert_int_equal(result.violation_count, 0);
    assert_int_equal(heard.calls, 0);
    seriatim_checker_free(checker);
}

static void a_violation_is_told_at_the_event_that_proves_it(void **state) {
    (void)state;
    struct heard heard;
    seriatim_checker *checker = new_checker(&heard);
    feed(checker, T1, SERIATIM_BEGIN, BLOCK, 1);
    feed(checker, T1, SERIATIM_READ, X, 2);
    feed(checker, T2, SERIATIM_WRITE, X, 3);
    assert_int_equal(heard.calls, 0);
    feed(checker, T1, SERIATIM_READ, X, 4);
    assert_int_equal(heard.calls, 1);
    assert_int_equal(heard.last.thread, T1);
    assert_int_equal(heard.last.block, BLOCK);
    assert_int_equal(heard.last.depth, 0);
    assert_int_equal(heard.last.begin, 1);
    assert_int_equal(heard.last.begin_loc, 10);
    assert_int_equal(heard.last.end, 0);
    assert_int_equal(heard.last.event.event, 4);
    assert_int_equal(heard.last.event.thread, T1);
    assert_int_equal(heard.last.event.op, SERIATIM_READ);
    assert_int_equal(heard.last.event.operand, X);
    assert_int_equal(heard.last.event.loc, 40);
    assert_int_equal(heard.last.closing.from.event, 3);
    assert_int_equal(heard.last.closing.from.thread, T2);
    assert_int_equal(heard.last.closing.from.op, SERIATIM_WRITE);
    assert_int_equal(heard.last.closing.to.event, 4);
    assert_int_equal(heard.last.closing.kind, SERIATIM_EDGE_CONFLICT);
    seriatim_checker_free(checker);
}

static void the_end_of_a_kept_violation_is_known_once_its_block_has_ended(void **state) {
    (void)state;
    struct heard heard;
    seriatim_checker *checker = new_checker(&heard);
    feed(checker, T1, SERIATIM_BEGIN, SERIATIM_UNNAMED, 1);
    feed(checker, T1, SERIATIM_READ, X, 2);
    feed(checker, T2, SERIATIM_WRITE, X, 3);
    feed(checker, T1, SERIATIM_READ, X, 4);
    assert_int_equal(seriatim_checker_kept(checker), 1);
    assert_int_equal(seriatim_checker_violation(checker, 0)->end, 0);
    assert_true(seriatim_checker_violation(checker, 0)->block == SERIATIM_UNNAMED);
    feed(checker, T1, SERIATIM_END, 0, 5);
    assert_int_equal(seriatim_checker_violation(checker, 0)->end, 5);
    assert_null(seriatim_checker_violation(checker, 1));
    seriatim_result result;
    seriatim_checker_finish(checker, &result);
    assert_int_equal(result.serializable, 0);
    assert_int_equal(result.names_blocks, 1);
    assert_int_equal(result.blames_closers, 0);
    assert_null(result.gave_up);
    assert_int_equal(result.first_bad_event, 4);
    assert_int_equal(result.violation_count, 1);
    assert_int_equal(result.events, 5);
    assert_int_equal(seriatim_checker_violation(checker, 0)->end, 5);
    seriatim_checker_free(checker);
}

static void all_violations_are_counted_and_told_but_only_so_many_are_kept(void **state) {
    (void)state;
    struct heard heard;
    seriatim_checker *checker = new_checker(&heard);
    seriatim_checker_keep(checker, 3);
    for (uint64_t i = 0; i < 10; i++)
        feed_cut_block(checker, i * 5 + 1);
    seriatim_result result;
    seriatim_checker_finish(checker, &result);
    assert_int_equal(heard.calls, 10);
    assert_int_equal(result.violation_count, 10);
    assert_int_equal(seriatim_checker_kept(checker), 3);
    assert_int_equal(seriatim_checker_violation(checker, 2)->begin, 11);
    assert_int_equal(seriatim_checker_violation(checker, 2)->end, 15);
    seriatim_checker_free(checker);
}

/* One of a block that is cut once, among many of a block that is cut all the time. */
static void a_rare_violation_is_kept_beside_common_ones(void **state) {
    (void)state;
    seriatim_checker *checker = seriatim_checker_new(NULL);
    seriatim_checker_keep(checker, 3);
    for (uint64_t i = 0; i < 10; i++)
        feed_cut_block(checker, i * 5 + 1);
    feed(checker, T3, SERIATIM_BEGIN, INNER, 51);
    feed(checker, T3, SERIATIM_READ, Y, 52);
    feed(checker, T2, SERIATIM_WRITE, Y, 53);
    feed(checker, T3, SERIATIM_READ, Y, 54);
    seriatim_result result;
    seriatim_checker_finish(checker, &result);
    assert_int_equal(result.violation_count, 11);
    assert_int_equal(seriatim_checker_kept(checker), 3);
    assert_int_equal(seriatim_checker_violation(checker, 0)->begin, 1);
    assert_int_equal(seriatim_checker_violation(checker, 1)->begin, 6);
    assert_int_equal(seriatim_checker_violation(checker, 2)->block, INNER);
    assert_int_equal(seriatim_checker_violation(checker, 2)->begin, 51);
    seriatim_checker_free(checker);
}

static void assert_place(const seriatim_place *place, uint64_t event, uint64_t thread,
                         seriatim_op op, uint64_t operand) {
    assert_int_equal(place->event, event);
    assert_int_equal(place->thread, thread);
    assert_int_equal(place->op, op);
    assert_int_equal(place->operand, operand);
    assert_int_equal(place->loc, event * 10);
}

/* Of T1's blocks, the outer and the inner one: T1 -> T2 through the lock, T2 -> T1 through Y. */
static void assert_cut_by_t2(const seriatim_violation *violation, uint64_t block, unsigned depth) {
    assert_int_equal(violation->block, block);
    assert_int_equal(violation->depth, depth);
    assert_int_equal(violation->begin, depth + 1);
    assert_int_equal(violation->path_length, 2);
    assert_place(&violation->path[0].from, 4, T1, SERIATIM_RELEASE, LOCK);
    assert_place(&violation->path[0].to, 5, T2, SERIATIM_ACQUIRE, LOCK);
    assert_int_equal(violation->path[0].kind, SERIATIM_EDGE_LOCK);
    assert_place(&violation->path[1].from, 6, T2, SERIATIM_WRITE, Y);
    assert_place(&violation->path[1].to, 7, T1, SERIATIM_READ, Y);
    assert_int_equal(violation->path[1].kind, SERIATIM_EDGE_CONFLICT);
    assert_place(&violation->closing.from, 6, T2, SERIATIM_WRITE, Y);
    assert_place(&violation->closing.to, 7, T1, SERIATIM_READ, Y);
}

static void listen_to_nested(void *context, const seriatim_violation *violation) {
    int *calls = context;
    assert_cut_by_t2(violation, *calls ? INNER : BLOCK, (unsigned)*calls);
    ++*calls;
}

static void nested_blocks_are_told_with_depth_and_path(void **state) {
    (void)state;
    int calls = 0;
    seriatim_checker *checker = seriatim_checker_new("witness");
    seriatim_checker_on_violation(checker, listen_to_nested, &calls);
    feed(checker, T1, SERIATIM_BEGIN, BLOCK, 1);
    feed(checker, T1, SERIATIM_BEGIN, INNER, 2);
    feed(checker, T1, SERIATIM_ACQUIRE, LOCK, 3);
    feed(checker, T1, SERIATIM_RELEASE, LOCK, 4);
    feed(checker, T2, SERIATIM_ACQUIRE, LOCK, 5);
    feed(checker, T2, SERIATIM_WRITE, Y, 6);
    feed(checker, T1, SERIATIM_READ, Y, 7);
    feed(checker, T1, SERIATIM_END, 0, 8);
    seriatim_result result;
    seriatim_checker_finish(checker, &result);
    assert_int_equal(calls, 2);
    assert_int_equal(result.outermost_only, 0);
    assert_int_equal(result.violation_count, 1);
    assert_int_equal(seriatim_checker_kept(checker), 2);
    assert_cut_by_t2(seriatim_checker_violation(checker, 0), BLOCK, 0);
    assert_int_equal(seriatim_checker_violation(checker, 0)->end, 0);
    assert_cut_by_t2(seriatim_checker_violation(checker, 1), INNER, 1);
    assert_int_equal(seriatim_checker_violation(checker, 1)->end, 8);
    seriatim_checker_free(checker);
}

static void without_a_callback_nothing_is_called(void **state) {
    (void)state;
    seriatim_checker *checker = seriatim_checker_new(NULL);
    feed_cut_block(checker, 1);
    assert_int_equal(seriatim_checker_kept(checker), 1);
    seriatim_checker_free(checker);
}

static void every_engine_sees_that_the_cut_block_is_not_serializable(void **state) {
    (void)state;
    for (size_t i = 0; seriatim_engine_name(i); i++) {
        seriatim_checker *checker = seriatim_checker_new(seriatim_engine_name(i));
        feed_cut_block(checker, 1);
        seriatim_result result;
        seriatim_checker_finish(checker, &result);
        assert_int_equal(result.serializable, 0);
        assert_true(seriatim_checker_memory(checker) > 0);
        seriatim_checker_free(checker);
    }
}

static void every_engine_sees_that_the_locked_block_is_serializable(void **state) {
    (void)state;
    for (size_t i = 0; seriatim_engine_name(i); i++) {
        seriatim_checker *checker = seriatim_checker_new(seriatim_engine_name(i));
        for (uint64_t thread = T1; thread <= T3; thread++) {
            feed(checker, thread, SERIATIM_BEGIN, BLOCK, 1);
            feed(checker, thread, SERIATIM_ACQUIRE, LOCK, 2);
            feed(checker, thread, SERIATIM_READ, X, 3);
            feed(checker, thread, SERIATIM_ACQUIRE, LOCK, 4); /* re-entrant: counts once */
            feed(checker, thread, SERIATIM_WRITE, X, 5);
            feed(checker, thread, SERIATIM_RELEASE, LOCK, 6);
            feed(checker, thread, SERIATIM_RELEASE, LOCK, 7);
            feed(checker, thread, SERIATIM_END, 0, 8);
        }
        seriatim_result result;
        seriatim_checker_finish(checker, &result);
        assert_int_equal(result.serializable, 1);
        assert_int_equal(result.events, 24);
        assert_int_equal(result.violation_count, 0);
        seriatim_checker_free(checker);
    }
}

/* The largest ids, and addresses: all come back as they were given. */
/* T1 posts a semaphore in its block and waits for the answer in it. */
static void every_engine_sees_order_through_channels(void **state) {
    (void)state;
    for (size_t i = 0; seriatim_engine_name(i); i++) {
        seriatim_result result;
        seriatim_checker *checker = seriatim_checker_new(seriatim_engine_name(i));
        feed(checker, T1, SERIATIM_BEGIN, BLOCK, 1);
        feed(checker, T1, SERIATIM_SEND, CHANNEL, 2);
        feed(checker, T2, SERIATIM_RECEIVE, CHANNEL, 3);
        feed(checker, T2, SERIATIM_SEND, CHANNEL + 1, 4);
        feed(checker, T3, SERIATIM_SEND, CHANNEL + 1, 5);
        feed(checker, T1, SERIATIM_RECEIVE, CHANNEL + 1, 6);
        seriatim_checker_finish(checker, &result);
        assert_int_equal(result.serializable, 0);
        assert_int_equal(result.first_bad_event, 6);
        seriatim_checker_free(checker);
    }
}

static void order_through_a_channel_is_an_edge_of_its_own_kind(void **state) {
    (void)state;
    struct heard heard;
    seriatim_checker *checker = new_checker(&heard);
    feed(checker, T1, SERIATIM_BEGIN, BLOCK, 1);
    feed(checker, T1, SERIATIM_WRITE, X, 2);
    feed(checker, T2, SERIATIM_READ, X, 3);
    feed(checker, T2, SERIATIM_SEND, CHANNEL, 4);
    feed(checker, T1, SERIATIM_ACQUIRE, LOCK, 5);
    assert_int_equal(heard.calls, 0);
    feed(checker, T1, SERIATIM_RECEIVE, CHANNEL, 6);
    assert_int_equal(heard.calls, 1);
    const seriatim_violation *violation = seriatim_checker_violation(checker, 0);
    assert_int_equal(violation->path_length, 2);
    const seriatim_edge *last = &violation->path[1];
    assert_int_equal(last->kind, SERIATIM_EDGE_SYNC);
    assert_int_equal(last->from.op, SERIATIM_SEND);
    assert_int_equal(last->from.event, 4);
    assert_int_equal(last->to.op, SERIATIM_RECEIVE);
    assert_int_equal(last->to.operand, CHANNEL);
    seriatim_checker_free(checker);
}

static void ids_are_arbitrary(void **state) {
    (void)state;
    struct heard heard;
    seriatim_checker *checker = new_checker(&heard);
    uint64_t variable = (uint64_t)(uintptr_t)&heard;
    assert_int_equal(seriatim_event(checker, UINT64_MAX, SERIATIM_BEGIN, 0, 0), 0);
    assert_int_equal(seriatim_event(checker, UINT64_MAX, SERIATIM_WRITE, variable, 0), 0);
    assert_int_equal(seriatim_event(checker, 0, SERIATIM_WRITE, variable, 0), 0);
    uint64_t loc = SERIATIM_LOCATION_LIMIT - 1;
    assert_int_equal(seriatim_event(checker, UINT64_MAX, SERIATIM_READ, variable, loc), 0);
    assert_int_equal(heard.calls, 1);
    assert_true(heard.last.thread == UINT64_MAX);
    assert_int_equal(heard.last.block, 0);
    assert_true(heard.last.event.operand == variable);
    assert_true(heard.last.event.loc == loc);
    seriatim_checker_free(checker);
}

static void refuse(seriatim_checker *checker, uint64_t thread, int op, uint64_t operand,
                   uint64_t loc, const char *why) {
    assert_int_equal(seriatim_event(checker, thread, (seriatim_op)op, operand, loc), -1);
    if (!strstr(seriatim_error(checker), why))
        fail_msg("'%s' does not say '%s'", seriatim_error(checker), why);
}

static void events_that_make_no_sense_are_refused_with_a_reason(void **state) {
    (void)state;
    struct heard heard;
    seriatim_checker *checker = new_checker(&heard);
    refuse(checker, T1, SERIATIM_RELEASE, LOCK, 1, "lock that is not held");
    refuse(checker, T1, SERIATIM_END, 0, 1, "an end without a begin (thread 0x1)");
    refuse(checker, T1, SERIATIM_FORK, T1, 1, "fork of the running thread");
    refuse(checker, T1, SERIATIM_JOIN, T1, 1, "join of the running thread");
    refuse(checker, T1, SERIATIM_JOIN, 77, 1, "join of an unknown thread");
    refuse(checker, T1, 10, 0, 1, "no operation with the number 10");
    refuse(checker, T1, -1, 0, 1, "no operation with the number -1");
    refuse(checker, T1, SERIATIM_READ, X, SERIATIM_LOCATION_LIMIT, "not below 2^47");
    assert_int_equal(seriatim_event(checker, T1, SERIATIM_ACQUIRE, LOCK, 1), 0);
    refuse(checker, T2, SERIATIM_ACQUIRE, LOCK, 1, "another thread holds (thread 0x2, acquire");
    refuse(checker, T2, SERIATIM_RELEASE, LOCK, 1, "release of a lock that another thread holds");
    seriatim_result result;
    seriatim_checker_finish(checker, &result);
    assert_int_equal(result.events, 1);
    assert_int_equal(result.refused, 10);
    refuse(checker, T1, SERIATIM_READ, X, 1, "after the end of the run");
    seriatim_checker_free(checker);
}

/* T2 was refused an event and is still a thread that has not started: it can be forked. */
static void a_refused_event_has_no_number_and_no_effect(void **state) {
    (void)state;
    struct heard heard;
    seriatim_checker *checker = new_checker(&heard);
    assert_int_equal(seriatim_event(checker, T1, SERIATIM_BEGIN, BLOCK, 0), 0);
    assert_int_equal(seriatim_event(checker, T1, SERIATIM_READ, X, 0), 0);
    assert_int_equal(seriatim_event(checker, T2, SERIATIM_RELEASE, LOCK, 0), -1);
    assert_int_equal(seriatim_event(checker, T1, SERIATIM_FORK, T2, 0), 0);
    assert_int_equal(seriatim_event(checker, T2, SERIATIM_END, 0, 0), -1);
    assert_int_equal(seriatim_event(checker, T2, SERIATIM_WRITE, X, 0), 0);
    assert_int_equal(seriatim_event(checker, T1, SERIATIM_READ, X, 0), 0);
    assert_int_equal(heard.calls, 1);
    assert_int_equal(heard.last.begin, 1);
    assert_int_equal(heard.last.event.event, 5);
    seriatim_result result;
    seriatim_checker_finish(checker, &result);
    assert_int_equal(result.events, 5);
    assert_int_equal(result.first_bad_event, 5);
    seriatim_checker_free(checker);
}

static void a_joined_thread_is_over_until_its_id_is_forked_again(void **state) {
    (void)state;
    for (size_t i = 0; seriatim_engine_name(i); i++) {
        seriatim_checker *checker = seriatim_checker_new(seriatim_engine_name(i));
        for (int round = 0; round < 100; round++) {
            assert_int_equal(seriatim_event(checker, T1, SERIATIM_FORK, T2, 0), 0);
            assert_int_equal(seriatim_event(checker, T2, SERIATIM_BEGIN, BLOCK, 0), 0);
            assert_int_equal(seriatim_event(checker, T2, SERIATIM_WRITE, X, 0), 0);
            assert_int_equal(seriatim_event(checker, T2, SERIATIM_END, 0, 0), 0);
            assert_int_equal(seriatim_event(checker, T1, SERIATIM_FORK, T2, 0), -1);
            assert_int_equal(seriatim_event(checker, T1, SERIATIM_JOIN, T2, 0), 0);
            refuse(checker, T2, SERIATIM_WRITE, X, 0, "joined before (thread 0x2)");
        }
        seriatim_result result;
        seriatim_checker_finish(checker, &result);
        assert_int_equal(result.serializable, 1);
        assert_int_equal(result.events, 500);
        seriatim_checker_free(checker);
    }
}

static void finishing_twice_gives_the_same_result(void **state) {
    (void)state;
    struct heard heard;
    seriatim_checker *checker = new_checker(&heard);
    feed_cut_block(checker, 1);
    seriatim_result first, second;
    memset(&first, 0, sizeof first);
    memset(&second, 0, sizeof second);
    seriatim_checker_finish(checker, &first);
    seriatim_checker_finish(checker, &second);
    assert_memory_equal(&first, &second, sizeof first);
    assert_int_equal(heard.calls, 1);
    seriatim_checker_free(checker);
}

static void checkers_know_nothing_of_each_other(void **state) {
    (void)state;
    struct heard one_heard, other_heard;
    seriatim_checker *one = new_checker(&one_heard), *other = new_checker(&other_heard);
    feed(one, T1, SERIATIM_BEGIN, BLOCK, 1);
    feed(one, T1, SERIATIM_READ, X, 2);
    feed(other, T2, SERIATIM_WRITE, X, 1);
    feed(one, T1, SERIATIM_READ, X, 3);
    feed(one, T1, SERIATIM_END, 0, 4);
    seriatim_result result;
    seriatim_checker_finish(one, &result);
    assert_int_equal(result.serializable, 1);
    assert_int_equal(result.events, 4);
    seriatim_checker_finish(other, &result);
    assert_int_equal(result.events, 1);
    seriatim_checker_free(other);
    seriatim_checker_free(one);
}

/* Two transactions that wait for each other's outcome without either being cut: no block is
 * violated, and still no order of the two explains the run. */
static void a_run_can_be_wrong_without_a_violated_block(void **state) {
    (void)state;
    struct heard heard;
    seriatim_checker *checker = new_checker(&heard);
    feed(checker, T1, SERIATIM_BEGIN, BLOCK, 1);
    feed(checker, T2, SERIATIM_BEGIN, BLOCK, 2);
    feed(checker, T1, SERIATIM_WRITE, X, 3);
    feed(checker, T2, SERIATIM_WRITE, Y, 4);
    feed(checker, T2, SERIATIM_READ, X, 5);
    feed(checker, T1, SERIATIM_READ, Y, 6);
    seriatim_result result;
    seriatim_checker_finish(checker, &result);
    assert_int_equal(result.serializable, 0);
    assert_int_equal(result.first_bad_event, 6);
    assert_int_equal(result.violation_count, 0);
    assert_int_equal(heard.calls, 0);
    size_t length = 99;
    const seriatim_edge *cycle = seriatim_checker_cycle(checker, &length);
    assert_true((cycle == NULL) == (length == 0));
    seriatim_checker_free(checker);
}

/* An engine that gives paths gives them in the caller's ids, closed and in one piece. */
static void paths_lead_out_of_the_block_and_back(void **state) {
    (void)state;
    for (size_t i = 0; seriatim_engine_name(i); i++) {
        seriatim_checker *checker = seriatim_checker_new(seriatim_engine_name(i));
        feed_cut_block(checker, 1);
        for (size_t k = 0; k < seriatim_checker_kept(checker); k++) {
            const seriatim_violation *violation = seriatim_checker_violation(checker, k);
            assert_true((violation->path == NULL) == (violation->path_length == 0));
            if (!violation->path)
                continue;
            const seriatim_edge *last = &violation->path[violation->path_length - 1];
            assert_int_equal(violation->path[0].from.thread, violation->thread);
            assert_int_equal(last->to.event, violation->event.event);
            assert_int_equal(violation->closing.from.event, last->from.event);
            for (size_t e = 1; e < violation->path_length; e++)
                assert_int_equal(violation->path[e - 1].to.thread, violation->path[e].from.thread);
            assert_int_equal(violation->path[0].kind, SERIATIM_EDGE_CONFLICT);
            assert_int_equal(violation->path[0].from.operand, X);
            assert_int_equal(violation->path[0].from.loc, violation->path[0].from.event * 10);
        }
        seriatim_checker_free(checker);
    }
}

/* ---- Inference ---- */

static void finish(seriatim_checker *checker) {
    seriatim_result result;
    seriatim_checker_finish(checker, &result);
}

static void assert_counts(const seriatim_block_counts *counts, uint64_t block, uint64_t executed,
                          uint64_t violated) {
    assert_int_equal(counts->block, block);
    assert_int_equal(counts->executed, executed);
    assert_int_equal(counts->violated, violated);
}

/* T1 runs a block that nobody disturbs. */
static void feed_whole_block(seriatim_checker *checker, uint64_t block, uint64_t first) {
    feed(checker, T1, SERIATIM_BEGIN, block, first);
    feed(checker, T1, SERIATIM_READ, X, first + 1);
    feed(checker, T1, SERIATIM_END, 0, first + 2);
}

static void an_inference_without_runs_is_empty(void **state) {
    (void)state;
    size_t count = 1;
    seriatim_block_counts unnamed;
    seriatim_inference *inference = seriatim_inference_new();
    assert_non_null(seriatim_inference_blocks(inference, &count));
    assert_int_equal(count, 0);
    assert_int_equal(seriatim_inference_runs(inference), 0);
    seriatim_inference_unnamed(inference, &unnamed);
    assert_counts(&unnamed, SERIATIM_UNNAMED, 0, 0);
    seriatim_inference_free(inference);
    seriatim_inference_free(NULL);
}

static void blocks_are_counted_over_several_runs(void **state) {
    (void)state;
    seriatim_inference *inference = seriatim_inference_new();
    for (int run = 0; run < 3; run++) {
        seriatim_checker *checker = seriatim_checker_new(NULL);
        feed_whole_block(checker, INNER, 1);
        if (run == 1)
            feed_cut_block(checker, 4);
        else
            feed_whole_block(checker, BLOCK, 4);
        finish(checker);
        assert_int_equal(seriatim_inference_add(inference, checker), 0);
        seriatim_checker_free(checker);
    }
    size_t count;
    const seriatim_block_counts *blocks = seriatim_inference_blocks(inference, &count);
    assert_int_equal(count, 2);
    assert_counts(&blocks[0], INNER, 3, 0);
    assert_counts(&blocks[1], BLOCK, 3, 1);
    assert_int_equal(seriatim_inference_runs(inference), 3);
    seriatim_inference_free(inference);
}

static void nested_and_unnamed_blocks_are_counted(void **state) {
    (void)state;
    size_t count;
    seriatim_block_counts unnamed;
    seriatim_checker *checker = seriatim_checker_new("witness");
    feed(checker, T1, SERIATIM_BEGIN, SERIATIM_UNNAMED, 1);
    feed_cut_block(checker, 2);
    feed(checker, T1, SERIATIM_END, 0, 7);
    feed(checker, T1, SERIATIM_BEGIN, SERIATIM_UNNAMED, 8);
    finish(checker);
    seriatim_inference *inference = seriatim_inference_new();
    assert_int_equal(seriatim_inference_add(inference, checker), 0);
    const seriatim_block_counts *blocks = seriatim_inference_blocks(inference, &count);
    assert_int_equal(count, 1);
    assert_counts(&blocks[0], BLOCK, 1, 1);
    seriatim_inference_unnamed(inference, &unnamed);
    assert_counts(&unnamed, SERIATIM_UNNAMED, 2, 1);
    seriatim_inference_free(inference);
    seriatim_checker_free(checker);
}

static void the_most_rarely_violated_block_comes_first(void **state) {
    (void)state;
    size_t count;
    seriatim_checker *checker = seriatim_checker_new(NULL);
    seriatim_inference *inference = seriatim_inference_new();
    feed_cut_block(checker, 1);
    feed_whole_block(checker, BLOCK, 6);
    feed_whole_block(checker, 5, 9);
    feed_whole_block(checker, 4, 12);
    feed_whole_block(checker, 3, 15);
    feed_whole_block(checker, 3, 18);
    finish(checker);
    seriatim_inference_add(inference, checker);
    const seriatim_block_counts *blocks = seriatim_inference_blocks(inference, &count);
    assert_int_equal(count, 4);
    assert_counts(&blocks[0], 3, 2, 0); /* ran more often */
    assert_counts(&blocks[1], 4, 1, 0); /* equal: by id */
    assert_counts(&blocks[2], 5, 1, 0);
    assert_counts(&blocks[3], BLOCK, 2, 1);
    seriatim_inference_free(inference);
    seriatim_checker_free(checker);
}

static void a_checker_that_is_not_finished_is_not_added(void **state) {
    (void)state;
    seriatim_inference *inference = seriatim_inference_new();
    seriatim_checker *checker = seriatim_checker_new(NULL);
    feed_whole_block(checker, BLOCK, 1);
    assert_int_equal(seriatim_inference_add(inference, checker), -1);
    finish(checker);
    assert_int_equal(seriatim_inference_add(inference, checker), 0);
    assert_int_equal(seriatim_inference_runs(inference), 1);
    seriatim_checker_free(checker);
    seriatim_inference_free(inference);
}

static void only_an_engine_that_knows_every_depth_is_added(void **state) {
    (void)state;
    seriatim_inference *inference = seriatim_inference_new();
    for (size_t i = 0; seriatim_engine_name(i); i++) {
        seriatim_checker *checker = seriatim_checker_new(seriatim_engine_name(i));
        feed_cut_block(checker, 1);
        finish(checker);
        bool exact = strcmp(seriatim_engine_name(i), "witness") == 0;
        assert_int_equal(seriatim_inference_add(inference, checker), exact ? 0 : -1);
        seriatim_checker_free(checker);
    }
    assert_int_equal(seriatim_inference_runs(inference), 1);
    seriatim_inference_free(inference);
}

/* ---- Prediction ---- */

/* One event of a run, as it is fed. */
struct fed {
    uint64_t thread;
    seriatim_op op;
    uint64_t operand;
};

/* T1's block reads and writes X in two critical sections; T2 writes X in one, after the block. All
 * went well, but T2 could have come in between. */
enum { VARIABLE = 1000000007 };
static const struct fed lucky_run[] = {
    {T1, SERIATIM_BEGIN, BLOCK},    {T1, SERIATIM_ACQUIRE, LOCK}, {T1, SERIATIM_READ, VARIABLE},
    {T1, SERIATIM_RELEASE, LOCK},   {T1, SERIATIM_ACQUIRE, LOCK}, {T1, SERIATIM_WRITE, VARIABLE},
    {T1, SERIATIM_RELEASE, LOCK},   {T1, SERIATIM_END, 0},        {T2, SERIATIM_ACQUIRE, LOCK},
    {T2, SERIATIM_WRITE, VARIABLE}, {T2, SERIATIM_RELEASE, LOCK},
};
enum { LUCKY = sizeof lucky_run / sizeof *lucky_run };

/* The same with one critical section in the block: nobody can come in between. */
static const struct fed locked_run[] = {
    {T1, SERIATIM_BEGIN, BLOCK},    {T1, SERIATIM_ACQUIRE, LOCK},   {T1, SERIATIM_READ, VARIABLE},
    {T1, SERIATIM_WRITE, VARIABLE}, {T1, SERIATIM_RELEASE, LOCK},   {T1, SERIATIM_END, 0},
    {T2, SERIATIM_ACQUIRE, LOCK},   {T2, SERIATIM_WRITE, VARIABLE}, {T2, SERIATIM_RELEASE, LOCK},
};
enum { LOCKED = sizeof locked_run / sizeof *locked_run };

/* A predictor that was fed with the run; the location is the event's number times ten. */
static seriatim_predictor *predict(const char *engine, const struct fed *run, size_t count) {
    seriatim_predictor *predictor = seriatim_predictor_new(engine);
    assert_non_null(predictor);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(seriatim_predictor_event(predictor, run[i].thread, run[i].op,
                                                  run[i].operand, (i + 1) * 10),
                         0);
    return predictor;
}

static void prediction_engines_can_be_listed_and_each_can_be_had(void **state) {
    (void)state;
    size_t count = 0;
    for (const char *name; (name = seriatim_predictor_engine_name(count)); count++) {
        assert_true(strlen(seriatim_predictor_engine_summary(count)) > 0);
        seriatim_predictor *predictor = seriatim_predictor_new(name);
        assert_non_null(predictor);
        seriatim_predictor_free(predictor);
    }
    assert_int_equal(count, 5);
    assert_null(seriatim_predictor_engine_summary(count));
    assert_null(seriatim_predictor_new("witness")); /* an engine of checkers */
    seriatim_predictor_free(NULL);
}

static void a_run_without_events_predicts_nothing(void **state) {
    (void)state;
    for (size_t i = 0; seriatim_predictor_engine_name(i); i++) {
        seriatim_prediction prediction;
        seriatim_predictor *predictor = predict(seriatim_predictor_engine_name(i), NULL, 0);
        assert_null(seriatim_predictor_block(predictor, 0));
        assert_null(seriatim_predictor_deadlock(predictor, 0));
        seriatim_predictor_finish(predictor, &prediction);
        assert_int_equal(prediction.serializable, 1);
        assert_int_equal(prediction.blocks, 0);
        assert_null(seriatim_predictor_block(predictor, 0));
        assert_null(seriatim_predictor_deadlock(predictor, 0));
        seriatim_predictor_free(predictor);
    }
}

static void every_engine_sees_that_the_lucky_block_can_be_violated(void **state) {
    (void)state;
    for (size_t i = 0; seriatim_predictor_engine_name(i); i++) {
        seriatim_prediction prediction;
        seriatim_predictor *predictor =
            predict(seriatim_predictor_engine_name(i), lucky_run, LUCKY);
        seriatim_predictor_finish(predictor, &prediction);
        assert_int_equal(prediction.events, LUCKY);
        assert_int_equal(prediction.blocks, 1);
        assert_int_equal(prediction.potential + prediction.violations, 1);
        assert_int_equal(prediction.listed, 1);
        const seriatim_predicted_block *block = seriatim_predictor_block(predictor, 0);
        assert_true(block->outlook >= SERIATIM_OUTLOOK_POTENTIAL);
        assert_int_equal(block->thread, T1);
        assert_int_equal(block->block, BLOCK);
        assert_int_equal(block->begin, 1);
        assert_int_equal(block->begin_loc, 10);
        assert_int_equal(block->end, 8);
        assert_null(seriatim_predictor_block(predictor, 1));
        seriatim_predictor_free(predictor);
    }
}

static void every_engine_sees_that_the_locked_block_is_atomic(void **state) {
    (void)state;
    for (size_t i = 0; seriatim_predictor_engine_name(i); i++) {
        seriatim_prediction prediction;
        seriatim_predictor *predictor =
            predict(seriatim_predictor_engine_name(i), locked_run, LOCKED);
        seriatim_predictor_finish(predictor, &prediction);
        assert_int_equal(prediction.serializable, 1);
        assert_int_equal(prediction.atomic, 1);
        const seriatim_predicted_block *block = seriatim_predictor_block(predictor, 0);
        assert_int_equal(block->outlook, SERIATIM_OUTLOOK_ATOMIC);
        assert_null(block->events);
        assert_null(block->schedule);
        seriatim_predictor_free(predictor);
    }
}

/* The schedule is one that a checker, fed in that order, finds the violation in. */
static void the_schedule_of_a_violation_shows_it(void **state) {
    (void)state;
    seriatim_prediction prediction;
    seriatim_result result;
    struct heard heard;
    bool seen[LUCKY + 1] = {false};
    seriatim_predictor *predictor = predict(NULL, lucky_run, LUCKY);
    seriatim_predictor_finish(predictor, &prediction);
    assert_int_equal(prediction.serializable, 0);
    assert_int_equal(prediction.violations, 1);
    const seriatim_predicted_block *block = seriatim_predictor_block(predictor, 0);
    assert_int_equal(block->outlook, SERIATIM_OUTLOOK_VIOLATION);
    assert_non_null(block->schedule);

    seriatim_checker *checker = new_checker(&heard);
    for (size_t i = 0; i < block->schedule_length; i++) {
        uint64_t number = block->schedule[i];
        assert_in_range(number, 1, LUCKY);
        assert_false(seen[number]);
        seen[number] = true;
        const struct fed *event = &lucky_run[number - 1];
        feed(checker, event->thread, event->op, event->operand, number);
    }
    seriatim_checker_finish(checker, &result);
    assert_int_equal(result.serializable, 0);
    assert_int_equal(heard.calls, 1);
    assert_int_equal(heard.last.block, BLOCK);
    seriatim_checker_free(checker);
    seriatim_predictor_free(predictor);
}

static void a_violation_has_its_variables_and_events(void **state) {
    (void)state;
    seriatim_prediction prediction;
    seriatim_predictor *predictor = predict("tas", lucky_run, LUCKY);
    seriatim_predictor_finish(predictor, &prediction);
    const seriatim_predicted_block *block = seriatim_predictor_block(predictor, 0);
    assert_int_equal(block->variable_count, 1);
    assert_int_equal(block->variables[0], VARIABLE);
    assert_string_equal(block->pattern, "R-W-W");
    assert_int_equal(block->event_count, 3);
    static const uint64_t numbers[] = {3, 10, 6};
    for (size_t i = 0; i < block->event_count; i++) {
        const seriatim_place *place = &block->events[i];
        const struct fed *event = &lucky_run[numbers[i] - 1];
        assert_int_equal(place->event, numbers[i]);
        assert_int_equal(place->thread, event->thread);
        assert_int_equal(place->op, event->op);
        assert_int_equal(place->operand, event->operand);
        assert_int_equal(place->loc, numbers[i] * 10);
    }
    seriatim_predictor_free(predictor);
}

static void a_potential_deadlock_is_found(void **state) {
    (void)state;
    enum { A = 1, B = 2 };
    static const struct fed run[] = {
        {T1, SERIATIM_ACQUIRE, A}, {T1, SERIATIM_ACQUIRE, B}, {T1, SERIATIM_RELEASE, B},
        {T1, SERIATIM_RELEASE, A}, {T2, SERIATIM_ACQUIRE, B}, {T2, SERIATIM_ACQUIRE, A},
        {T2, SERIATIM_RELEASE, A}, {T2, SERIATIM_RELEASE, B},
    };
    seriatim_prediction prediction;
    seriatim_predictor *predictor = predict(NULL, run, sizeof run / sizeof *run);
    seriatim_predictor_finish(predictor, &prediction);
    assert_int_equal(prediction.deadlocks, 1);
    assert_int_equal(prediction.more_deadlocks, 0);
    const seriatim_deadlock *deadlock = seriatim_predictor_deadlock(predictor, 0);
    assert_int_equal(deadlock->length, 2);
    for (size_t i = 0; i < 2; i++) {
        const seriatim_wait *wait = &deadlock->waits[i], *next = &deadlock->waits[1 - i];
        assert_int_equal(wait->holds.thread, wait->wants.thread);
        assert_int_equal(wait->holds.op, SERIATIM_ACQUIRE);
        assert_int_equal(wait->wants.operand, next->holds.operand);
        assert_true(wait->holds.event < wait->wants.event);
    }
    assert_null(seriatim_predictor_deadlock(predictor, 1));
    seriatim_predictor_free(predictor);
}

static void a_predictor_refuses_what_a_checker_refuses(void **state) {
    (void)state;
    seriatim_prediction prediction;
    seriatim_predictor *predictor = predict(NULL, locked_run, LOCKED);
    assert_string_equal(seriatim_predictor_error(predictor), "");
    assert_int_equal(seriatim_predictor_event(predictor, T1, SERIATIM_RELEASE, LOCK, 1), -1);
    assert_non_null(strstr(seriatim_predictor_error(predictor), "not held"));
    seriatim_predictor_finish(predictor, &prediction);
    assert_int_equal(prediction.events, LOCKED);
    assert_int_equal(prediction.refused, 1);
    assert_int_equal(seriatim_predictor_event(predictor, T1, SERIATIM_READ, X, 1), -1);
    assert_non_null(strstr(seriatim_predictor_error(predictor), "after the end"));
    seriatim_predictor_free(predictor);
}

static void all_blocks_are_counted_but_only_so_many_are_listed(void **state) {
    (void)state;
    static const size_t limits[] = {0, 2, SIZE_MAX};
    static const size_t listed[] = {0, 2, 4};
    for (int i = 0; i < 3; i++) {
        seriatim_prediction prediction;
        seriatim_predictor *predictor = predict(NULL, locked_run, LOCKED);
        for (int run = 0; run < 3; run++)
            for (int k = 0; k < LOCKED; k++)
                seriatim_predictor_event(predictor, locked_run[k].thread, locked_run[k].op,
                                         locked_run[k].operand, 1);
        seriatim_predictor_keep(predictor, limits[i]);
        seriatim_predictor_jobs(predictor, 4);
        seriatim_predictor_timeout(predictor, 0);
        seriatim_predictor_finish(predictor, &prediction);
        assert_int_equal(prediction.atomic, 4);
        assert_int_equal(prediction.listed, listed[i]);
        assert_true(!listed[i] || seriatim_predictor_block(predictor, listed[i] - 1));
        assert_null(seriatim_predictor_block(predictor, listed[i]));
        seriatim_prediction again;
        seriatim_predictor_finish(predictor, &again);
        assert_int_equal(again.atomic, prediction.atomic);
        assert_int_equal(again.listed, prediction.listed);
        assert_int_equal(again.events, prediction.events);
        seriatim_predictor_free(predictor);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_version_is_that_of_the_header),
        cmocka_unit_test(engines_can_be_listed_and_each_can_be_had),
        cmocka_unit_test(an_unknown_engine_gives_no_checker),
        cmocka_unit_test(lock_order_counts_only_by_locks),
        cmocka_unit_test(a_channel_that_was_used_is_no_lock_any_more),
        cmocka_unit_test(a_variable_that_was_forgotten_is_another_one),
        cmocka_unit_test(a_prediction_knows_that_a_variable_is_another_one),
        cmocka_unit_test(a_run_without_events_is_serializable),
        cmocka_unit_test(a_violation_is_told_at_the_event_that_proves_it),
        cmocka_unit_test(the_end_of_a_kept_violation_is_known_once_its_block_has_ended),
        cmocka_unit_test(all_violations_are_counted_and_told_but_only_so_many_are_kept),
        cmocka_unit_test(a_rare_violation_is_kept_beside_common_ones),
        cmocka_unit_test(nested_blocks_are_told_with_depth_and_path),
        cmocka_unit_test(without_a_callback_nothing_is_called),
        cmocka_unit_test(every_engine_sees_that_the_cut_block_is_not_serializable),
        cmocka_unit_test(every_engine_sees_that_the_locked_block_is_serializable),
        cmocka_unit_test(every_engine_sees_order_through_channels),
        cmocka_unit_test(order_through_a_channel_is_an_edge_of_its_own_kind),
        cmocka_unit_test(ids_are_arbitrary),
        cmocka_unit_test(events_that_make_no_sense_are_refused_with_a_reason),
        cmocka_unit_test(a_refused_event_has_no_number_and_no_effect),
        cmocka_unit_test(a_joined_thread_is_over_until_its_id_is_forked_again),
        cmocka_unit_test(finishing_twice_gives_the_same_result),
        cmocka_unit_test(checkers_know_nothing_of_each_other),
        cmocka_unit_test(a_run_can_be_wrong_without_a_violated_block),
        cmocka_unit_test(paths_lead_out_of_the_block_and_back),
        cmocka_unit_test(an_inference_without_runs_is_empty),
        cmocka_unit_test(blocks_are_counted_over_several_runs),
        cmocka_unit_test(nested_and_unnamed_blocks_are_counted),
        cmocka_unit_test(the_most_rarely_violated_block_comes_first),
        cmocka_unit_test(a_checker_that_is_not_finished_is_not_added),
        cmocka_unit_test(only_an_engine_that_knows_every_depth_is_added),
        cmocka_unit_test(prediction_engines_can_be_listed_and_each_can_be_had),
        cmocka_unit_test(a_run_without_events_predicts_nothing),
        cmocka_unit_test(every_engine_sees_that_the_lucky_block_can_be_violated),
        cmocka_unit_test(every_engine_sees_that_the_locked_block_is_atomic),
        cmocka_unit_test(the_schedule_of_a_violation_shows_it),
        cmocka_unit_test(a_violation_has_its_variables_and_events),
        cmocka_unit_test(a_potential_deadlock_is_found),
        cmocka_unit_test(a_predictor_refuses_what_a_checker_refuses),
        cmocka_unit_test(all_blocks_are_counted_but_only_so_many_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
