/* Which line of which file a location means. tests/cli/test_report.py has the excerpts. */
#include "report/source/source_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void assert_split(const char *location, size_t length, uint32_t line) {
    uint32_t found = 0;
    assert_int_equal(st_split_location(location, &found), length);
    assert_int_equal(found, line);
}

static void test_a_line_and_perhaps_a_column_stand_behind_the_file(void **state) {
    (void)state;
    assert_split("a.c:21", 3, 21);
    assert_split("a.c:21:5", 3, 21);
    assert_split("C:/a b.c:7", 8, 7);
    assert_split("a.c:1:2:3", 5, 2);
    assert_split("1:2", 1, 2);
}

static void test_other_texts_are_no_place_in_a_file(void **state) {
    static const char *const texts[] = {"",
                                        "21",
                                        ":21",
                                        "a.c",
                                        "a.c:",
                                        "a.c:x",
                                        "a:-1",
                                        "a:1 line",
                                        "a.c:0",
                                        "a.c:4294967297",
                                        "a.c:99999999999999999999"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_split(texts[i], 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_line_and_perhaps_a_column_stand_behind_the_file),
        cmocka_unit_test(test_other_texts_are_no_place_in_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
