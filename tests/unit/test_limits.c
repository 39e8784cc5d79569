/* What engines do at their limits. Built with clocks that overflow after a hundred local times. */
#include "check/engine.h"
#include "check/races/races.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static struct st_event event(uint32_t thread, enum st_op op, uint32_t target) {
    return (struct st_event){.thread = thread, .target = target, .written = op, .op = op};
}

/* Two threads hand a variable to and fro, in a block each time, so that both clocks move with every
 * block. */
static void hand_over(const struct st_engine *engine, void *state, uint64_t blocks) {
    for (uint64_t i = 0; i < blocks; i++) {
        uint32_t t = i & 1;
        struct st_event block[] = {event(t, ST_BEGIN, 0), event(t, ST_WRITE, 0),
                                   event(t, ST_END, 0)};
        engine->feed(state, block, 3, 3 * i + 1);
    }
}

static void check(const char *name, uint64_t blocks, enum st_verdict verdict) {
    const struct st_engine *engine = st_engine_find(name);
    struct st_findings findings;
    st_findings_init(&findings, 0);
    void *state = engine->create(&findings);
    hand_over(engine, state, blocks);
    engine->finish(state, 3 * blocks);
    engine->destroy(state);
    assert_int_equal(findings.verdict, verdict);
    assert_int_equal(findings.gave_up != NULL, verdict == ST_UNDECIDED);
    st_findings_free(&findings);
}

static void a_full_clock_is_no_verdict(void **unused) {
    (void)unused;
    check("regiontrack", 1000, ST_UNDECIDED);
    check("witness", 1000, ST_UNDECIDED);
    check("aerodrome", 1000, ST_UNDECIDED);
}

static void below_the_limit_there_is_one(void **unused) {
    (void)unused;
    check("regiontrack", 100, ST_SERIALIZABLE);
    check("witness", 100, ST_SERIALIZABLE);
    check("aerodrome", 100, ST_SERIALIZABLE);
}

static void expect_undecided(uint32_t thread, uint64_t first) {
    struct st_findings findings;
    st_findings_init(&findings, 0);
    const struct st_engine *engine = st_engine_find("witness");
    void *state = engine->create(&findings);
    struct st_event access = event(thread, ST_WRITE, 0);
    engine->feed(state, &access, 1, first);
    engine->finish(state, first);
    engine->destroy(state);
    assert_int_equal(findings.verdict, ST_UNDECIDED);
    assert_non_null(findings.gave_up);
    st_findings_free(&findings);
}

static void numbers_without_room_are_no_verdict(void **unused) {
    (void)unused;
    expect_undecided(0, UINT64_C(1) << 40);
    expect_undecided(UINT32_C(1) << 23, 1);
}

static void engines_without_clocks_go_on(void **unused) {
    (void)unused;
    check("velodrome", 1000, ST_SERIALIZABLE);
    check("doublechecker", 1000, ST_SERIALIZABLE);
}

static bool gives_up_looking_for_races(uint64_t releases) {
    struct st_races *races = st_races_new(NULL, NULL);
    struct st_event section[] = {event(0, ST_ACQUIRE, 0), event(0, ST_RELEASE, 0)};
    for (uint64_t i = 0; i < releases; i++)
        st_races_feed(races, section, 2, 2 * i + 1);
    bool gave_up = st_races_gave_up(races) != NULL;
    st_races_free(races);
    return gave_up;
}

static void with_a_full_clock_races_are_not_known(void **unused) {
    (void)unused;
    assert_false(gives_up_looking_for_races(90));
    assert_true(gives_up_looking_for_races(1000));
}

/* Thread 0 forks so many threads and joins each at once, or never. */
static bool gives_up_with_threads(uint32_t threads, bool joined) {
    struct st_races *races = st_races_new(NULL, NULL);
    for (uint32_t t = 1; t <= threads; t++) {
        struct st_event life[] = {event(0, ST_FORK, t), event(t, ST_WRITE, 0),
                                  event(0, joined ? ST_JOIN : ST_WRITE, joined ? t : 1)};
        st_races_feed(races, life, 3, 3 * t);
    }
    bool gave_up = st_races_gave_up(races) != NULL;
    st_races_free(races);
    return gave_up;
}

static void with_clocks_that_are_too_large_races_are_not_known(void **unused) {
    (void)unused;
    assert_false(gives_up_with_threads(50, false));
    assert_true(gives_up_with_threads(80, false));
    assert_false(gives_up_with_threads(80, true));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_clock_is_no_verdict),
        cmocka_unit_test(below_the_limit_there_is_one),
        cmocka_unit_test(numbers_without_room_are_no_verdict),
        cmocka_unit_test(engines_without_clocks_go_on),
        cmocka_unit_test(with_clocks_that_are_too_large_races_are_not_known),
        cmocka_unit_test(with_a_full_clock_races_are_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
