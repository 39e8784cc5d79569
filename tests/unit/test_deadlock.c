/* Which threads may wait for each other in a ring. */
#include "predict/deadlock.h"

#include "runs.h"

/* Each ring as the locks that are wanted, each ring after a slash: "b a/c b a". */
static void describe(const struct run *run, const struct st_predictions *found, char *text) {
    *text = '\0';
    for (size_t i = 0; i < found->deadlock_count; i++) {
        const struct st_predicted_deadlock *ring = &found->deadlocks[i];
        strcat(text, i ? "/" : "");
        for (size_t k = 0; k < ring->count; k++) {
            const struct st_predicted_wait *wait = &ring->waits[k];
            const struct st_predicted_wait *next = &ring->waits[(k + 1) % ring->count];
            assert_int_equal(wait->holds.event.thread, wait->wants.event.thread);
            assert_int_equal(wait->wants.event.target, next->holds.event.target);
            assert_true(wait->holds.number < wait->wants.number);
            const struct st_place *both[] = {&wait->holds, &wait->wants};
            for (int b = 0; b < 2; b++) {
                const struct st_event *event = &run->events[both[b]->number - 1];
                assert_int_equal(event->op, ST_ACQUIRE);
                assert_int_equal(event->thread, both[b]->event.thread);
                assert_int_equal(event->target, both[b]->event.target);
                assert_int_equal(event->loc, both[b]->event.loc);
            }
            strcat(text, k ? " " : "");
            strcat(text, st_name(&run->symbols.locks, wait->wants.event.target));
        }
    }
}

static void assert_rings_of(const char *text, size_t most, const char *expected, bool more) {
    struct run run;
    struct st_predictions found = {0};
    char rings[4096];
    make_run(&run, text, &(struct st_model_options){.order = ST_MODEL_BARRIERS});
    st_deadlocks_find(run.model, most, &found);
    describe(&run, &found, rings);
    assert_string_equal(rings, expected);
    assert_true(found.deadlocks_sought);
    assert_int_equal(found.more_deadlocks, more);
    st_predictions_free(&found);
    free_run(&run);
}

static void assert_rings(const char *text, const char *expected) {
    assert_rings_of(text, 0, expected, false);
}

#define A_B(t) t " acq a, " t " acq b, " t " rel b, " t " rel a"
#define B_A(t) t " acq b, " t " acq a, " t " rel a, " t " rel b"
#define B_C(t) t " acq b, " t " acq c, " t " rel c, " t " rel b"
#define C_A(t) t " acq c, " t " acq a, " t " rel a, " t " rel c"
#define GATED(t, inner) t " acq g, " inner ", " t " rel g"

static void two_threads_with_two_locks_in_different_orders(void **state) {
    (void)state;
    assert_rings(A_B("T1") ", " B_A("T2"), "b a");
    assert_rings(A_B("T1") ", " A_B("T2"), "");
    assert_rings("T1 acq a, T1 rel a, T1 acq b, T1 rel b, " B_A("T2"), "");
}

static void blocks_make_no_difference(void **state) {
    (void)state;
    assert_rings("T1 begin f, " A_B("T1") ", T1 end f, " B_A("T2"), "b a");
    assert_rings("T1 acq a, T1 begin f, T1 acq b, T1 rel b, T1 end f, T1 rel a, " B_A("T2"), "b a");
}

static void one_thread_does_not_wait_for_itself(void **state) {
    (void)state;
    assert_rings(A_B("T1") ", " B_A("T1"), "");
    assert_rings("T1 acq a, T1 acq a, T1 rel a, T1 rel a, T2 acq a, T2 acq a, T2 rel a, T2 rel a",
                 "");
}

static void reentrant_acquires_want_nothing(void **state) {
    (void)state;
    assert_rings("T1 acq a, T1 acq b, T1 acq a, T1 rel a, T1 rel b, T1 rel a, " A_B("T2"), "");
}

static void a_gate_lock_keeps_them_apart(void **state) {
    (void)state;
    assert_rings(GATED("T1", A_B("T1")) ", " GATED("T2", B_A("T2")), "");
    assert_rings(GATED("T1", A_B("T1")) ", " B_A("T2"), "b a");
    assert_rings(GATED("T1", A_B("T1")) ", " GATED("T2", B_A("T2")) ", " B_A("T2"), "b a");
}

static void three_threads_in_a_ring(void **state) {
    (void)state;
    assert_rings(A_B("T1") ", " B_C("T2") ", " C_A("T3"), "b c a");
    assert_rings(A_B("T1") ", " B_C("T2") ", " C_A("T1"), "");
    assert_rings(GATED("T1", A_B("T1")) ", " GATED("T2", B_C("T2")) ", " C_A("T3"), "");
    assert_rings(GATED("T1", A_B("T1")) ", " B_C("T2") ", " C_A("T3"), "b c a");
}

static void threads_that_do_not_run_at_the_same_time(void **state) {
    (void)state;
    assert_rings("T1 acq a, T1 acq b, T1 rel b, T1 rel a, T1 fork T2, " B_A("T2"), "");
    assert_rings("T1 fork T2, " B_A("T2") ", T1 join T2, " A_B("T1"), "");
    assert_rings("T1 fork T2, " A_B("T1") ", " B_A("T2") ", T1 join T2", "b a");
    assert_rings(A_B("T1") ", T1 snd c, T2 snd c, T1 rcv c, T2 rcv c, " B_A("T2"), "");
    assert_rings("T1 fork T2, T1 fork T3, " A_B("T1") ", " B_C("T2") ", T1 join T2, " C_A("T3"),
                 "b c a");
    assert_rings("T1 fork T2, " A_B("T1") ", " B_C("T2") ", T1 join T2, T1 fork T3, " C_A("T3"),
                 "");
}

static void a_lock_that_is_held_from_an_earlier_period(void **state) {
    (void)state;
    assert_rings("T1 acq a, T1 fork T2, T1 acq b, T1 rel b, T1 rel a, " B_A("T2"), "b a");
}

static void each_ring_of_locks_is_told_once_and_short_ones_first(void **state) {
    (void)state;
    assert_rings(A_B("T1") ", " A_B("T1") ", " A_B("T3") ", " B_A("T2") ", " B_A("T4"), "b a");
    assert_rings(A_B("T1") ", " B_C("T2") ", " C_A("T3") ", " B_A("T4"), "b a/b c a");
}

static void no_more_are_listed_than_one_wants(void **state) {
    (void)state;
    assert_rings_of(A_B("T1") ", " B_C("T2") ", " C_A("T3") ", " B_A("T4"), 1, "b a", true);
    assert_rings_of(A_B("T1") ", " B_C("T2") ", " C_A("T3") ", " B_A("T4"), 2, "b a/b c a", false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_threads_with_two_locks_in_different_orders),
        cmocka_unit_test(blocks_make_no_difference),
        cmocka_unit_test(one_thread_does_not_wait_for_itself),
        cmocka_unit_test(reentrant_acquires_want_nothing),
        cmocka_unit_test(a_gate_lock_keeps_them_apart),
        cmocka_unit_test(three_threads_in_a_ring),
        cmocka_unit_test(threads_that_do_not_run_at_the_same_time),
        cmocka_unit_test(a_lock_that_is_held_from_an_earlier_period),
        cmocka_unit_test(each_ring_of_locks_is_told_once_and_short_ones_first),
        cmocka_unit_test(no_more_are_listed_than_one_wants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
