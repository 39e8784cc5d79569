/* Findings: which violations are kept when there are more than the limit, and what is counted. */
#include "finding/finding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { COMMON, RARE, OTHER };

/* A violation of a block with that name; its begin distinguishes it from all others. */
static size_t add(struct st_findings *findings, uint32_t block, uint64_t begin) {
    struct st_violation violation = {
        .block = block, .begin = begin, .event = {.number = begin + 1}, .path_length = 1};
    violation.path = calloc(1, sizeof *violation.path);
    violation.path->to.number = begin + 1;
    return st_findings_violation(findings, &violation);
}

static size_t kept_of(const struct st_findings *findings, uint32_t block) {
    size_t count = 0;
    for (size_t i = 0; i < findings->kept; i++)
        count += findings->violations[i].block == block;
    return count;
}

static bool has_begin(const struct st_findings *findings, uint64_t begin) {
    for (size_t i = 0; i < findings->kept; i++)
        if (findings->violations[i].begin == begin)
            return true;
    return false;
}

static void without_a_limit_all_are_kept_in_order(void **state) {
    (void)state;
    struct st_findings findings;
    st_findings_init(&findings, 0);
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(add(&findings, (uint32_t)(i % 7), i * 10), i);
    assert_int_equal(findings.kept, 1000);
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(findings.violations[i].begin, i * 10);
    st_findings_free(&findings);
}

static void a_rare_block_takes_the_place_of_the_newest_common_one(void **state) {
    (void)state;
    struct st_findings findings;
    st_findings_init(&findings, 3);
    for (uint64_t i = 1; i <= 10; i++)
        add(&findings, COMMON, i * 10);
    add(&findings, RARE, 110);
    assert_int_equal(findings.kept, 3);
    assert_true(has_begin(&findings, 10));
    assert_true(has_begin(&findings, 20));
    assert_false(has_begin(&findings, 30));
    assert_true(has_begin(&findings, 110));
    st_findings_free(&findings);
}

static void nobody_gives_way_to_one_that_would_then_have_as_many(void **state) {
    (void)state;
    struct st_findings findings;
    st_findings_init(&findings, 3);
    for (uint64_t i = 1; i <= 5; i++)
        add(&findings, COMMON, i * 10);
    assert_int_not_equal(add(&findings, RARE, 60), ST_NO_VIOLATION);
    assert_int_equal(add(&findings, RARE, 70), ST_NO_VIOLATION);
    assert_int_equal(add(&findings, COMMON, 80), ST_NO_VIOLATION);
    assert_int_equal(kept_of(&findings, COMMON), 2);
    assert_int_equal(kept_of(&findings, RARE), 1);
    st_findings_free(&findings);
}

static void each_name_keeps_its_first_when_there_are_as_many_places(void **state) {
    (void)state;
    struct st_findings findings;
    st_findings_init(&findings, 50);
    for (uint32_t name = 0; name < 50; name++)
        for (uint64_t i = 1; i <= 100; i++)
            add(&findings, name == 7 ? ST_NO_NAME : name, name * 1000 + i);
    for (uint32_t name = 0; name < 50; name++)
        assert_true(has_begin(&findings, name * 1000 + 1));
    assert_int_equal(findings.kept, 50);
    assert_int_equal(kept_of(&findings, ST_NO_NAME), 1);
    st_findings_free(&findings);
}

static void what_is_not_kept_is_counted(void **state) {
    (void)state;
    struct st_findings findings;
    st_findings_init(&findings, 1);
    for (uint64_t i = 1; i <= 10; i++)
        add(&findings, i % 2 ? COMMON : ST_NO_NAME, i * 10);
    struct st_violation inner = {.block = COMMON, .depth = 3, .begin = 5};
    st_findings_violation(&findings, &inner);
    inner.block = RARE;
    st_findings_violation(&findings, &inner);
    inner.depth = 2;
    st_findings_violation(&findings, &inner);
    assert_int_equal(findings.violation_count, 10);
    assert_int_equal(st_findings_violated(&findings, COMMON), 6);
    assert_int_equal(st_findings_violated(&findings, ST_NO_NAME), 5);
    assert_int_equal(st_findings_violated(&findings, RARE), 2);
    assert_int_equal(st_findings_violated(&findings, OTHER + 1000), 0);
    assert_int_equal(st_findings_depth(&findings, COMMON), 0);
    assert_int_equal(st_findings_depth(&findings, RARE), 2);
    assert_int_equal(st_findings_depth(&findings, OTHER + 1000), 0);
    st_findings_free(&findings);
}

static void an_end_is_not_given_to_a_block_that_took_the_place(void **state) {
    (void)state;
    struct st_findings findings;
    st_findings_init(&findings, 2);
    size_t first = add(&findings, COMMON, 10), second = add(&findings, COMMON, 20);
    size_t rare = add(&findings, RARE, 30);
    assert_int_equal(rare, second);
    st_findings_block_end(&findings, second, 20, 40);
    st_findings_block_end(&findings, first, 10, 50);
    st_findings_block_end(&findings, ST_NO_VIOLATION, 10, 60);
    assert_int_equal(findings.violations[first].end, 50);
    assert_int_equal(findings.violations[rare].end, 0);
    st_findings_block_end(&findings, rare, 30, 70);
    assert_int_equal(findings.violations[rare].end, 70);
    st_findings_free(&findings);
}

static void sorting_puts_outer_blocks_before_inner_ones(void **state) {
    (void)state;
    struct st_findings findings;
    st_findings_init(&findings, 0);
    const uint64_t begins[] = {3, 1, 2, 9}, events[] = {8, 8, 8, 4};
    for (size_t i = 0; i < 4; i++)
        st_findings_violation(
            &findings, &(struct st_violation){.begin = begins[i], .event = {.number = events[i]}});
    st_findings_sort(&findings);
    const uint64_t expected[] = {9, 1, 2, 3};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(findings.violations[i].begin, expected[i]);
    st_findings_free(&findings);
}

static void the_first_event_may_prove_several(void **state) {
    (void)state;
    struct st_findings findings;
    st_findings_init(&findings, 0);
    st_findings_keep_first(&findings);
    assert_int_equal(findings.kept, 0);
    for (uint64_t begin = 9; begin > 5; begin--)
        add(&findings, COMMON, begin * 10);
    struct st_violation outer = {.begin = 1, .event = {.number = 61}};
    st_findings_violation(&findings, &outer);
    st_findings_keep_first(&findings);
    assert_int_equal(findings.kept, 2);
    assert_int_equal(findings.violations[0].begin, 1);
    assert_int_equal(findings.violations[1].begin, 60);
    st_findings_free(&findings);
}

static void the_closing_edge_is_the_last_of_the_path(void **state) {
    (void)state;
    struct st_findings findings;
    st_findings_init(&findings, 0);
    add(&findings, COMMON, 10);
    assert_int_equal(findings.violations[0].closing.to.number, 11);
    struct st_violation known = {.begin = 20, .closing = {.to = {.number = 25}}};
    st_findings_violation(&findings, &known);
    assert_int_equal(findings.violations[1].closing.to.number, 25);
    st_findings_free(&findings);
}

static void note_call(void *context, const struct st_violation *violation) {
    (void)violation;
    ++*(int *)context;
}

static void whoever_listens_gets_every_path(void **state) {
    (void)state;
    struct st_findings findings;
    int calls = 0;
    st_findings_init(&findings, 1);
    add(&findings, COMMON, 10);
    assert_false(st_findings_keeps(&findings, COMMON, 0));
    assert_false(st_findings_keeps(&findings, RARE, 0));
    findings.on_violation = note_call;
    findings.context = &calls;
    assert_true(st_findings_keeps(&findings, COMMON, 0));
    add(&findings, COMMON, 20);
    assert_int_equal(calls, 1);
    st_findings_free(&findings);
}

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 16;
}

/* Whatever comes in whatever order: what keeps() says is what happens, the places are full, and a
 * name of which something was dropped has as many as any other, or one fewer. */
static void the_places_are_shared_fairly(void **state) {
    (void)state;
    enum { NAMES = 12, EVENTS = 400 };
    for (uint32_t seed = 1; seed <= 300; seed++) {
        uint32_t random = seed;
        size_t limit = next_random(&random) % 30 + 1, most = 0;
        uint32_t skew = next_random(&random) % 5 + 1;
        struct st_findings findings;
        st_findings_init(&findings, limit);
        for (uint64_t i = 1; i <= EVENTS; i++) {
            uint32_t name = next_random(&random) % NAMES;
            if (next_random(&random) % skew)
                name = (uint32_t)(i * NAMES / (EVENTS + 1));
            bool keeps = st_findings_keeps(&findings, name, 0);
            assert_int_equal(keeps, add(&findings, name, i) != ST_NO_VIOLATION);
            assert_int_equal(findings.kept, i < limit ? i : limit);
        }
        for (uint32_t name = 0; name < NAMES; name++)
            if (kept_of(&findings, name) > most)
                most = kept_of(&findings, name);
        for (uint32_t name = 0; name < NAMES; name++) {
            size_t kept = kept_of(&findings, name);
            assert_true(kept == st_findings_violated(&findings, name) || kept + 1 >= most);
        }
        st_findings_free(&findings);
    }
}

/* It would take minutes if dropping one looked at all that are kept. */
static void dropping_is_cheap(void **state) {
    (void)state;
    struct st_findings findings;
    st_findings_init(&findings, 100000);
    for (uint64_t i = 1; i <= 3000000; i++) {
        uint32_t name = i < 1000000 ? COMMON : (uint32_t)(i % 1000);
        struct st_violation violation = {.block = name, .begin = i};
        st_findings_violation(&findings, &violation);
    }
    assert_int_equal(findings.kept, 100000);
    assert_int_equal(kept_of(&findings, COMMON), 100);
    st_findings_free(&findings);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_limit_all_are_kept_in_order),
        cmocka_unit_test(a_rare_block_takes_the_place_of_the_newest_common_one),
        cmocka_unit_test(nobody_gives_way_to_one_that_would_then_have_as_many),
        cmocka_unit_test(each_name_keeps_its_first_when_there_are_as_many_places),
        cmocka_unit_test(what_is_not_kept_is_counted),
        cmocka_unit_test(an_end_is_not_given_to_a_block_that_took_the_place),
        cmocka_unit_test(sorting_puts_outer_blocks_before_inner_ones),
        cmocka_unit_test(the_first_event_may_prove_several),
        cmocka_unit_test(the_closing_edge_is_the_last_of_the_path),
        cmocka_unit_test(whoever_listens_gets_every_path),
        cmocka_unit_test(the_places_are_shared_fairly),
        cmocka_unit_test(dropping_is_cheap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
