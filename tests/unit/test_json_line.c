/* Finding the line of a value in a JSON text. */
#include "base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static const char text[] = "\n"
                           "{ \"a\" : 1,\n"                         /* line 2 */
                           "  \"b]\": [ \"x,\\\"}\", {},\n"         /* 3 */
                           "    [ ], {\"c\":\n"                     /* 4 */
                           "      [true, -1.5e3 , null] } ],\n"     /* 5 */
                           "  \"c\": {\"b]\": \"{\", \"d\" : 7} }"; /* 6 */

#define STEPS(...)                                                                                 \
    (const struct st_json_step[]){__VA_ARGS__},                                                    \
        sizeof((const struct st_json_step[]){__VA_ARGS__}) / sizeof(struct st_json_step)
#define KEY(name)                                                                                  \
    { name, 0 }
#define INDEX(number)                                                                              \
    { NULL, number }

static void test_a_value_is_found_behind_members_and_elements(void **state) {
    (void)state;
    assert_int_equal(st_json_line(text, NULL, 0), 2);
    assert_int_equal(st_json_line(text, STEPS(KEY("a"))), 2);
    assert_int_equal(st_json_line(text, STEPS(KEY("b]"), INDEX(1))), 3);
    assert_int_equal(st_json_line(text, STEPS(KEY("b]"), INDEX(2))), 4);
    assert_int_equal(st_json_line(text, STEPS(KEY("b]"), INDEX(3))), 4);
    assert_int_equal(st_json_line(text, STEPS(KEY("b]"), INDEX(3), KEY("c"), INDEX(2))), 5);
    assert_int_equal(st_json_line(text, STEPS(KEY("c"), KEY("d"))), 6);
}

static void test_what_is_not_there_is_where_the_way_ends(void **state) {
    (void)state;
    assert_int_equal(st_json_line(text, STEPS(KEY("nothing"))), 2);
    assert_int_equal(st_json_line(text, STEPS(KEY("b]"), INDEX(9))), 3);
    assert_int_equal(st_json_line(text, STEPS(KEY("c"), INDEX(0))), 6);
    assert_int_equal(st_json_line("", STEPS(KEY("a"))), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_value_is_found_behind_members_and_elements),
        cmocka_unit_test(test_what_is_not_there_is_where_the_way_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
