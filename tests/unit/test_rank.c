/* The order in which blocks are spoken of: the most surprising violation first. */
#include "report/triage/rank.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A block of which `violated` out of `executed` runs were cut, at that depth. NULL ends a list. */
struct given {
    const char *name;
    uint64_t executed, violated;
    uint32_t depth;
};

/* The names in the order of their rank, each with a blank behind it; "-" for no name. */
static void assert_ranked(const struct given *given, const char *expected) {
    struct st_symbols symbols;
    struct st_facts facts = {0};
    struct st_findings findings;
    uint64_t executed[16] = {0};
    st_symbols_init(&symbols);
    st_findings_init(&findings, 1);
    for (; given->name; given++) {
        uint32_t block = ST_NO_NAME;
        if (*given->name)
            block = st_names_add(&symbols.blocks, given->name, strlen(given->name));
        *(*given->name ? &executed[block] : &facts.unnamed_blocks) = given->executed;
        for (uint64_t i = 0; i < given->violated; i++)
            st_findings_violation(
                &findings, &(struct st_violation){.block = block, .depth = given->depth + i % 2});
    }
    facts.executed = executed;
    facts.executed_count = symbols.blocks.count;

    struct st_report report = {.symbols = &symbols, .facts = &facts};
    size_t count;
    struct st_block_row *rows = st_rank_blocks(&report, &findings, &count);
    char got[256] = "";
    for (size_t i = 0; i < count; i++) {
        strcat(got, *rows[i].name ? rows[i].name : "-");
        strcat(got, " ");
    }
    assert_string_equal(got, expected);
    free(rows);
    st_findings_free(&findings);
    st_symbols_free(&symbols);
}

static void what_is_rarely_cut_comes_first(void **state) {
    (void)state;
    assert_ranked((struct given[]){{"always", 10, 10, 0},
                                   {"half", 10, 5, 0},
                                   {"once_of_1000", 1000, 1, 0},
                                   {"twice_of_1000", 1000, 2, 0},
                                   {"once_of_2", 2, 1, 5},
                                   {0}},
                  "once_of_1000 twice_of_1000 once_of_2 half always ");
}

static void of_equal_shares_the_innermost_comes_first(void **state) {
    (void)state;
    assert_ranked(
        (struct given[]){{"outer", 10, 5, 0}, {"middle", 10, 5, 1}, {"inner", 4, 2, 2}, {0}},
        "inner middle outer ");
}

static void then_the_more_often_executed_then_the_name(void **state) {
    (void)state;
    assert_ranked((struct given[]){{"b", 2, 1, 1}, {"a", 2, 1, 1}, {"c", 4, 2, 1}, {0}}, "c a b ");
}

static void blocks_never_cut_follow_by_how_often_they_ran(void **state) {
    (void)state;
    assert_ranked((struct given[]){{"few", 3, 0, 0},
                                   {"many", 99, 0, 0},
                                   {"cut", 1, 1, 0},
                                   {"a", 3, 0, 0},
                                   {"", 50, 0, 0},
                                   {0}},
                  "cut many - a few ");
}

static void unnamed_blocks_rank_like_a_name(void **state) {
    (void)state;
    assert_ranked((struct given[]){{"a", 2, 1, 0}, {"", 3, 1, 0}, {"b", 4, 1, 0}, {0}}, "b - a ");
}

static void names_of_mere_ends_are_no_blocks(void **state) {
    (void)state;
    assert_ranked((struct given[]){{"only_an_end", 0, 0, 0}, {"a", 1, 0, 0}, {0}}, "a ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_rarely_cut_comes_first),
        cmocka_unit_test(of_equal_shares_the_innermost_comes_first),
        cmocka_unit_test(then_the_more_often_executed_then_the_name),
        cmocka_unit_test(blocks_never_cut_follow_by_how_often_they_ran),
        cmocka_unit_test(unnamed_blocks_rank_like_a_name),
        cmocka_unit_test(names_of_mere_ends_are_no_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
