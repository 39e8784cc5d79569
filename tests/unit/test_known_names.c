/* Names of variables that are put together from those that were made before. */
#include "watch/memory/known_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROOM = 1024 };

static void keep(struct st_known_names *names, uint32_t origin, uint64_t place, const char *name,
                 size_t number_at, size_t digits) {
    st_known_names_keep(names, origin, place, name, ROOM, number_at, digits);
}

static void assert_known(const struct st_known_names *names, uint32_t origin, uint64_t place,
                         uint64_t number, const char *expected) {
    char buffer[ROOM];
    assert_true(st_known_names_find(names, origin, place, number, buffer, sizeof buffer));
    assert_string_equal(buffer, expected);
}

static void assert_unknown(const struct st_known_names *names, uint32_t origin, uint64_t place) {
    char buffer[ROOM];
    assert_false(st_known_names_find(names, origin, place, 0, buffer, sizeof buffer));
}

static void elements_of_an_array_differ_in_their_number(void **state) {
    (void)state;
    struct st_known_names names = {0};
    keep(&names, 3, 4, "item[12].count from shop.c:7 (open)", 5, 2);
    assert_known(&names, 3, 4, 0, "item[0].count from shop.c:7 (open)");
    assert_known(&names, 3, 4, 12, "item[12].count from shop.c:7 (open)");
    assert_known(&names, 3, 4, UINT64_MAX, "item[18446744073709551615].count from shop.c:7 (open)");
    st_known_names_free(&names);
}

static void a_number_may_be_the_end_of_a_name(void **state) {
    (void)state;
    struct st_known_names names = {0};
    keep(&names, 1, 0, "heap block of 9 bytes from a.c:1 (f)+8", 37, 1);
    assert_known(&names, 1, 0, 7, "heap block of 9 bytes from a.c:1 (f)+7");
    st_known_names_free(&names);
}

static void a_name_without_a_number_stays_as_it_is(void **state) {
    (void)state;
    struct st_known_names names = {0};
    keep(&names, 1, 8, "item->count from shop.c:7 (open)", 0, 0);
    assert_known(&names, 1, 8, 5, "item->count from shop.c:7 (open)");
    st_known_names_free(&names);
}

static void other_origins_and_places_have_other_names(void **state) {
    (void)state;
    struct st_known_names names = {0};
    assert_unknown(&names, 1, 0);
    keep(&names, 1, 0, "a[0]", 2, 1);
    assert_unknown(&names, 2, 0);
    assert_unknown(&names, 1, 4);
    /* More than fit: what is known is right. */
    for (uint32_t origin = 1; origin <= 4 * ST_KNOWN_NAMES; origin++)
        keep(&names, origin, origin % 3, origin % 2 ? "odd[0]" : "even[0]", origin % 2 ? 4 : 5, 1);
    unsigned known = 0;
    for (uint32_t origin = 1; origin <= 4 * ST_KNOWN_NAMES; origin++) {
        char buffer[ROOM];
        if (!st_known_names_find(&names, origin, origin % 3, 9, buffer, sizeof buffer))
            continue;
        assert_string_equal(buffer, origin % 2 ? "odd[9]" : "even[9]");
        known++;
    }
    assert_in_range(known, 1, ST_KNOWN_NAMES);
    st_known_names_free(&names);
}

static void names_that_are_too_long_are_not_kept(void **state) {
    (void)state;
    struct st_known_names names = {0};
    char name[ST_KNOWN_NAME_BYTES + 2], buffer[ST_KNOWN_NAME_BYTES + 1];
    memset(name, 'x', sizeof name);
    name[ST_KNOWN_NAME_BYTES + 1] = '\0';
    keep(&names, 1, 0, name, 0, 0);
    assert_unknown(&names, 1, 0);
    name[ST_KNOWN_NAME_BYTES] = '\0';
    st_known_names_keep(&names, 1, 0, name, ST_KNOWN_NAME_BYTES + 1, 0, 0); /* may have been cut */
    assert_unknown(&names, 1, 0);
    keep(&names, 2, 0, name, 0, 0);
    assert_known(&names, 2, 0, 0, name);
    assert_false(
        st_known_names_find(&names, 2, 0, 0, buffer, sizeof buffer)); /* no room for a number */
    st_known_names_free(&names);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_of_an_array_differ_in_their_number),
        cmocka_unit_test(a_number_may_be_the_end_of_a_name),
        cmocka_unit_test(a_name_without_a_number_stays_as_it_is),
        cmocka_unit_test(other_origins_and_places_have_other_names),
        cmocka_unit_test(names_that_are_too_long_are_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
