#include "base/map64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void ids_are_numbered_in_order_of_appearance(void **state) {
    (void)state;
    struct st_map64 map;
    st_map64_init(&map);
    assert_int_equal(st_map64_number(&map, 700), 0);
    assert_int_equal(st_map64_number(&map, 5), 1);
    assert_int_equal(st_map64_number(&map, 700), 0);
    assert_int_equal(map.count, 2);
    assert_int_equal(map.ids[0], 700);
    assert_int_equal(map.ids[1], 5);
    st_map64_free(&map);
}

static void zero_and_the_largest_id_are_ids_like_any_other(void **state) {
    (void)state;
    struct st_map64 map;
    st_map64_init(&map);
    assert_int_equal(st_map64_find(&map, 0), ST_MAP64_NONE);
    assert_int_equal(st_map64_number(&map, UINT64_MAX), 0);
    assert_int_equal(st_map64_find(&map, 0), ST_MAP64_NONE);
    assert_int_equal(st_map64_number(&map, 0), 1);
    assert_int_equal(st_map64_find(&map, UINT64_MAX), 0);
    assert_int_equal(st_map64_find(&map, 0), 1);
    st_map64_free(&map);
}

/* Strides of a power of two are what addresses look like. */
static void many_ids_survive_growth(void **state) {
    (void)state;
    for (unsigned shift = 0; shift <= 40; shift += 4) {
        struct st_map64 map;
        st_map64_init(&map);
        for (uint64_t i = 0; i < 20000; i++)
            assert_int_equal(st_map64_number(&map, i << shift), i);
        for (uint64_t i = 0; i < 20000; i++) {
            assert_int_equal(st_map64_find(&map, i << shift), i);
            assert_int_equal(map.ids[i], i << shift);
        }
        assert_int_equal(st_map64_find(&map, UINT64_C(20000) << shift), ST_MAP64_NONE);
        assert_true(st_map64_memory(&map) < 2000000);
        st_map64_free(&map);
    }
}

static void a_renewed_id_gets_a_new_number_and_the_old_one_keeps_its_id(void **state) {
    (void)state;
    struct st_map64 map;
    st_map64_init(&map);
    assert_int_equal(st_map64_number(&map, 9), 0);
    for (uint32_t i = 1; i < 1000; i++)
        assert_int_equal(st_map64_renew(&map, 9), i);
    assert_int_equal(st_map64_find(&map, 9), 999);
    assert_int_equal(map.ids[0], 9);
    assert_int_equal(map.used, 1);
    assert_int_equal(map.slot_count, 64);
    st_map64_free(&map);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_numbered_in_order_of_appearance),
        cmocka_unit_test(zero_and_the_largest_id_are_ids_like_any_other),
        cmocka_unit_test(many_ids_survive_growth),
        cmocka_unit_test(a_renewed_id_gets_a_new_number_and_the_old_one_keeps_its_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
