/* Who goes on, as src/runtime/control/strategy.c decides it: over a table of threads that do not
 * exist. And when a thread spins. */
#include "runtime/control/spinning.h"
#include "runtime/control/steps.h"
#include "runtime/control/strategy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct rt_control rt_control;
_Thread_local struct rt_runner *rt_runner_self;

enum { COUNT = 4 };
static struct rt_runner runners[COUNT];
static struct rt_runner *ready[COUNT];
static struct st_control_plan plan;
static struct st_control_log control_log;

/* All threads can go on. */
static int set_up(void **state) {
    (void)state;
    memset(runners, 0, sizeof runners);
    memset(&plan, 0, sizeof plan);
    memset(&control_log, 0, sizeof control_log);
    rt_control = (struct rt_control){.plan = &plan, .log = &control_log, .ready = ready};
    for (uint32_t i = 0; i < COUNT; i++) {
        runners[i] = (struct rt_runner){.index = i, .state = ST_THREAD_READY};
        ready[i] = &runners[i];
    }
    rt_control.ready_count = COUNT;
    return 0;
}

static void start(enum st_control_strategy strategy, uint64_t seed) {
    plan.strategy = strategy;
    plan.seed = seed;
    rt_strategy_start();
    for (uint32_t i = 0; i < COUNT; i++)
        rt_strategy_begin(&runners[i]);
}

static void yield(struct rt_runner *runner) {
    runner->yielding = true;
    runner->ticket = ++rt_control.tickets;
    rt_strategy_yields(runner);
}

static void the_thread_that_runs_goes_on(void **state) {
    (void)state;
    assert_ptr_equal(rt_default_choice(&runners[2]), &runners[2]);
}

static void then_comes_the_lowest_index_that_can(void **state) {
    (void)state;
    runners[2].state = ST_THREAD_BLOCKED;
    assert_ptr_equal(rt_default_choice(&runners[2]), &runners[0]);
}

static void who_has_yielded_comes_after_all_others(void **state) {
    (void)state;
    yield(&runners[0]);
    yield(&runners[1]);
    assert_ptr_equal(rt_default_choice(&runners[1]), &runners[2]);
    assert_false(rt_all_yield());
}

static void of_those_who_yielded_the_first_comes_first(void **state) {
    (void)state;
    for (uint32_t i = COUNT; i-- > 0;)
        yield(&runners[i]);
    assert_true(rt_all_yield());
    assert_ptr_equal(rt_default_choice(&runners[0]), &runners[COUNT - 1]);
}

static uint64_t choices(enum st_control_strategy strategy, uint64_t seed) {
    uint64_t all = 0;
    set_up(NULL);
    start(strategy, seed);
    for (int i = 0; i < 30; i++) {
        struct rt_runner *me = &runners[i % COUNT];
        rt_strategy_at_point(me, true);
        all = all * COUNT + rt_strategy_choose(me, true)->index;
    }
    return all;
}

static void the_same_seed_makes_the_same_choices(void **state) {
    (void)state;
    for (uint32_t i = ST_STRATEGY_RANDOM; i <= ST_STRATEGY_POS; i++)
        assert_int_equal(choices((enum st_control_strategy)i, 7),
                         choices((enum st_control_strategy)i, 7));
    assert_int_not_equal(choices(ST_STRATEGY_RANDOM, 7), choices(ST_STRATEGY_RANDOM, 8));
}

static void a_walk_chooses_who_has_more_left_to_do(void **state) {
    (void)state;
    unsigned times = 0;
    start(ST_STRATEGY_URW, 1);
    runners[3].expected = 1000;
    for (int i = 0; i < 100; i++)
        times += rt_strategy_choose(&runners[0], true) == &runners[3];
    assert_in_range(times, 90, 100);
}

static void priorities_stay_until_they_are_changed(void **state) {
    (void)state;
    plan.depth = 2;
    plan.expected_points = 1;
    start(ST_STRATEGY_PCT, 3);
    struct rt_runner *first = rt_strategy_choose(&runners[0], true);
    assert_ptr_equal(rt_strategy_choose(&runners[1], true), first);
    control_log.contested = 1; /* where the one change is */
    rt_strategy_at_point(first, true);
    assert_ptr_not_equal(rt_strategy_choose(first, true), first);
}

static struct rt_place first_place = {.first = true}, last_place = {.other = true, .last = true},
                       next_place;

/* Thread 1 passes `first` in a block, and comes to its next point. */
static void hold_thread_1(enum st_control_strategy strategy) {
    for (uint64_t seed = 0; !runners[1].held_block; seed++) {
        start(strategy, seed); /* not each one is held */
        runners[1].block = 1;
        runners[1].place = &first_place;
        rt_strategy_passes(&runners[1]);
    }
    runners[1].place = &next_place;
    rt_strategy_at_point(&runners[1], true);
}

static void a_block_is_held_until_another_thread_has_passed(void **state) {
    (void)state;
    hold_thread_1(ST_STRATEGY_DIRECTED);
    assert_true(runners[1].held);
    for (int i = 0; i < 20; i++)
        assert_ptr_not_equal(rt_strategy_choose(&runners[1], true), &runners[1]);
    runners[2].place = &last_place;
    rt_strategy_passes(&runners[2]);
    assert_int_equal(control_log.hits, 1);
    assert_ptr_equal(rt_strategy_choose(&runners[2], true), &runners[1]);
}

static void it_is_let_go_when_nobody_else_can_go_on(void **state) {
    (void)state;
    hold_thread_1(ST_STRATEGY_STALL);
    ready[0] = &runners[1];
    rt_control.ready_count = 1;
    assert_ptr_equal(rt_strategy_choose(&runners[1], true), &runners[1]);
    assert_int_equal(control_log.given_up, 1);
}

static void it_is_let_go_when_all_others_spin(void **state) {
    (void)state;
    hold_thread_1(ST_STRATEGY_STALL);
    for (int i = 0; i < COUNT; i++)
        if (i != 1)
            yield(&runners[i]);
    rt_control.yields = 100;
    assert_ptr_equal(rt_strategy_choose(&runners[0], true), &runners[1]);
}

/* ---- steps ---- */

/* Thread 1 writes, thread 2 comes in between, and thread 1 goes on. All are about one object. */
static struct rt_place step_places[3] = {{.steps = 1}, {.steps = 2}, {.steps = 4}};
static struct rt_place entry_place = {.entries = 2};
enum { OBJECT = 0x1000 };

static void plan_steps(void) {
    plan.step_count = 3;
    plan.steps[0] = (struct st_control_step){.role = 0, .same = 0};
    plan.steps[1] = (struct st_control_step){.role = 1, .same = 0};
    plan.steps[2] = (struct st_control_step){.role = 0, .same = 0};
}

static void come_to(struct rt_runner *runner, struct rt_place *place) {
    runner->place = place;
    runner->object = OBJECT;
    runner->size = 4;
    rt_strategy_at_point(runner, true);
}

/* Only thread 1 passes its step; then it comes to its next point. */
static void do_first_step(void) {
    plan_steps();
    for (uint64_t seed = 0; seed == 0 || !rt_steps_hold(&runners[1]); seed++) {
        start(ST_STRATEGY_STEPS, seed); /* not each one counts */
        runners[1].block = 1;
        come_to(&runners[1], &step_places[0]);
        rt_strategy_passes(&runners[1]);
        come_to(&runners[1], &next_place);
    }
}

static void who_is_not_next_waits_for_who_is(void **state) {
    (void)state;
    do_first_step();
    for (int i = 0; i < 20; i++)
        assert_ptr_not_equal(rt_strategy_choose(&runners[1], true), &runners[1]);
    come_to(&runners[2], &step_places[1]);
    assert_ptr_equal(rt_strategy_choose(&runners[2], true), &runners[2]);
    rt_strategy_passes(&runners[2]);
    assert_ptr_equal(rt_strategy_choose(&runners[2], true), &runners[1]);
    come_to(&runners[1], &step_places[2]);
    rt_strategy_passes(&runners[1]);
    assert_int_equal(control_log.hits, 1);
}

static void who_comes_too_early_waits(void **state) {
    (void)state;
    plan_steps();
    start(ST_STRATEGY_STEPS, 1);
    come_to(&runners[2], &step_places[1]);
    come_to(&runners[3], &entry_place);
    for (int i = 0; i < 20; i++) {
        const struct rt_runner *next = rt_strategy_choose(&runners[2], true);
        assert_true(next == &runners[0] || next == &runners[1]);
    }
}

static void another_object_is_not_the_step(void **state) {
    (void)state;
    do_first_step();
    come_to(&runners[2], &step_places[1]);
    runners[2].object = (uintptr_t)2 * OBJECT;
    rt_strategy_passes(&runners[2]);
    assert_true(rt_steps_hold(&runners[1]));
}

static void another_thread_is_not_the_one(void **state) {
    (void)state;
    do_first_step();
    plan.steps[1].thread = 4;
    come_to(&runners[2], &step_places[1]);
    rt_strategy_passes(&runners[2]);
    assert_true(rt_steps_hold(&runners[1]));
    come_to(&runners[3], &step_places[1]);
    rt_strategy_passes(&runners[3]);
    assert_false(rt_steps_hold(&runners[1]));
}

static void who_is_held_creeps_on_when_nobody_else_can(void **state) {
    (void)state;
    do_first_step();
    ready[0] = &runners[1];
    rt_control.ready_count = 1;
    assert_ptr_equal(rt_strategy_choose(&runners[1], true), &runners[1]);
    assert_true(rt_steps_hold(&runners[1])); /* the attempt goes on */
    come_to(&runners[1], &step_places[2]);
    assert_ptr_equal(rt_strategy_choose(&runners[1], true), &runners[1]);
    rt_strategy_passes(&runners[1]);
    come_to(&runners[1], &next_place);
    assert_false(rt_steps_hold(&runners[1])); /* it is over */
    assert_int_equal(control_log.hits, 0);
}

static void with_the_block_the_attempt_ends(void **state) {
    (void)state;
    do_first_step();
    runners[1].block = 2;
    rt_strategy_passes(&runners[1]);
    assert_false(rt_steps_hold(&runners[1]));
}

/* ---- spinning ---- */

static unsigned spins(struct rt_runner *me, unsigned times, enum st_control_kind kind,
                      uintptr_t step) {
    unsigned count = 0;
    for (unsigned i = 0; i < times; i++) {
        me->clock++;
        count += rt_spins(me, kind, 0x1000 + i * step, 0x400000);
    }
    return count;
}

static void who_reads_the_same_again_and_again_spins(void **state) {
    (void)state;
    assert_int_equal(spins(&runners[0], 15, ST_POINT_READ, 0), 0);
    assert_int_equal(spins(&runners[0], 1, ST_POINT_READ, 0), 1);
    assert_int_equal(spins(&runners[1], 4, ST_POINT_ATOMIC_READ, 0), 1);
}

static void who_reads_an_array_does_not(void **state) {
    (void)state;
    assert_int_equal(spins(&runners[0], 10000, ST_POINT_READ, 8), 0);
}

static void a_change_makes_it_begin_anew(void **state) {
    (void)state;
    spins(&runners[0], 15, ST_POINT_READ, 0);
    spins(&runners[0], 1, ST_POINT_WRITE, 0);
    assert_int_equal(spins(&runners[0], 15, ST_POINT_READ, 0), 0);
}

static void a_write_to_a_local_variable_is_no_change(void **state) {
    (void)state;
    int expected = 0;
    spins(&runners[0], 3, ST_POINT_ATOMIC_WRITE, 0);
    assert_false(rt_spins(&runners[0], ST_POINT_WRITE, (uintptr_t)&expected, 0x400100));
    assert_int_equal(spins(&runners[0], 1, ST_POINT_ATOMIC_WRITE, 0), 1);
    assert_int_equal(rt_control.yields, 1);
    rt_control.vain = 100;
    rt_spins(&runners[0], ST_POINT_WRITE, (uintptr_t)&expected, 0x400100);
    assert_int_equal(rt_control.yields, 1);
    assert_int_equal(rt_control.vain, 0);
}

static void nobody_goes_on_for_ever(void **state) {
    (void)state;
    assert_in_range(spins(&runners[0], 50000, ST_POINT_WRITE, 8), 1, 10);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup(name, set_up)
    const struct CMUnitTest tests[] = {
        TEST(the_thread_that_runs_goes_on),
        TEST(then_comes_the_lowest_index_that_can),
        TEST(who_has_yielded_comes_after_all_others),
        TEST(of_those_who_yielded_the_first_comes_first),
        TEST(the_same_seed_makes_the_same_choices),
        TEST(a_walk_chooses_who_has_more_left_to_do),
        TEST(priorities_stay_until_they_are_changed),
        TEST(a_block_is_held_until_another_thread_has_passed),
        TEST(it_is_let_go_when_nobody_else_can_go_on),
        TEST(it_is_let_go_when_all_others_spin),
        TEST(who_is_not_next_waits_for_who_is),
        TEST(who_comes_too_early_waits),
        TEST(another_object_is_not_the_step),
        TEST(another_thread_is_not_the_one),
        TEST(who_is_held_creeps_on_when_nobody_else_can),
        TEST(with_the_block_the_attempt_ends),
        TEST(who_reads_the_same_again_and_again_spins),
        TEST(who_reads_an_array_does_not),
        TEST(a_change_makes_it_begin_anew),
        TEST(a_write_to_a_local_variable_is_no_change),
        TEST(nobody_goes_on_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
