#include "base/bits.h"
#include "base/intern.h"
#include "base/lower_bound.h"
#include "base/map64.h"
#include "base/shared_row.h"
#include "base/sparse_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
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
    assert_int_equal(map.table.used, 1);
    assert_int_equal(map.table.slot_count, 64);
    st_map64_free(&map);
}

static void keys_of_one_size_are_numbered_and_kept(void **state) {
    (void)state;
    struct st_intern intern;
    st_intern_init(&intern, 2 * sizeof(uint32_t));
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 1000; i++) {
            uint32_t key[2] = {i / 10, i % 10};
            assert_int_equal(st_intern_add(&intern, key, sizeof key), i);
        }
    assert_int_equal(intern.count, 1000);
    const uint32_t *key = st_intern_key(&intern, 789);
    assert_int_equal(key[0], 78);
    assert_int_equal(key[1], 9);
    uint32_t missing[2] = {100, 0};
    assert_int_equal(st_intern_find(&intern, missing, sizeof missing), ST_INTERN_NONE);
    st_intern_free(&intern);
}

static void a_key_and_the_start_of_it_are_two_keys(void **state) {
    (void)state;
    static const uint32_t numbers[] = {0, 0, 0, 0};
    struct st_intern intern;
    st_intern_init(&intern, 0);
    assert_int_equal(st_intern_find(&intern, NULL, 0), ST_INTERN_NONE);
    for (uint32_t count = 0; count < 4; count++)
        assert_int_equal(st_intern_add(&intern, numbers, count * sizeof *numbers), count);
    assert_int_equal(st_intern_add(&intern, NULL, 0), 0);
    for (uint32_t count = 0; count < 4; count++) {
        assert_int_equal(st_intern_find(&intern, numbers, count * sizeof *numbers), count);
        assert_int_equal(st_intern_size(&intern, count), count * sizeof *numbers);
    }
    st_intern_free(&intern);
}

/* Equality is that of the keys: here the table has a key under the hash of another. */
static void keys_with_one_hash_differ(void **state) {
    (void)state;
    struct st_intern intern;
    st_intern_init(&intern, sizeof(uint64_t));
    uint64_t first = 1, second = 2;
    assert_int_equal(st_intern_add(&intern, &first, sizeof first), 0);
    memcpy(intern.bytes, &second, sizeof second);
    assert_int_equal(st_intern_find(&intern, &first, sizeof first), ST_INTERN_NONE);
    assert_int_equal(st_intern_add(&intern, &first, sizeof first), 1);
    st_intern_free(&intern);
}

static void a_cleared_table_starts_again(void **state) {
    (void)state;
    struct st_intern intern;
    st_intern_init(&intern, 0);
    for (uint32_t count = 1; count < 1000; count *= 10) {
        for (uint64_t key = 0; key < count; key++)
            assert_int_equal(st_intern_add(&intern, &key, sizeof key), key);
        st_intern_clear(&intern);
        assert_int_equal(intern.count, 0);
        for (uint64_t key = 0; key < count; key++)
            assert_int_equal(st_intern_find(&intern, &key, sizeof key), ST_INTERN_NONE);
    }
    st_intern_free(&intern);
}

static void a_number_is_added_to_a_set_once(void **state) {
    (void)state;
    struct st_set64 set = {0};
    for (uint64_t count = 1; count < 1000; count *= 10) {
        for (uint64_t number = 0; number < count; number++)
            assert_true(st_set64_add(&set, number * number));
        for (uint64_t number = 0; number < count; number++)
            assert_false(st_set64_add(&set, number * number));
        st_set64_clear(&set);
    }
    st_set64_free(&set);
}

static void bits_are_set_and_cleared_one_by_one(void **state) {
    (void)state;
    assert_int_equal(st_bit_words(0), 0);
    assert_int_equal(st_bit_words(64), 1);
    assert_int_equal(st_bit_words(65), 2);
    uint64_t words[2] = {0};
    st_bit_set(words, 63);
    st_bit_set(words, 64);
    assert_true(st_bit_test(words, 63) && st_bit_test(words, 64));
    st_bit_clear(words, 63);
    assert_false(st_bit_test(words, 63));
    assert_true(words[0] == 0 && words[1] == 1);
}

static void a_set_of_bits_grows(void **state) {
    (void)state;
    struct st_bits bits = {0};
    assert_false(st_bits_has(&bits, 1000));
    assert_true(st_bits_add(&bits, 1000));
    assert_false(st_bits_add(&bits, 1000));
    assert_true(st_bits_has(&bits, 1000));
    assert_false(st_bits_has(&bits, 999));
    assert_false(st_bits_has(&bits, 1000000));
    st_bits_free(&bits);
}

static void the_lower_bound_is_the_first_that_is_not_before(void **state) {
    (void)state;
    static const uint32_t items[] = {1, 3, 3, 7};
    for (uint32_t count = 0; count <= 4; count++)
        for (uint32_t wanted = 0; wanted < 9; wanted++) {
            uint32_t expected = 0, at;
            while (expected < count && items[expected] < wanted)
                expected++;
            st_lower_bound(at, 0, count, items[at] < wanted);
            assert_int_equal(at, expected);
        }
    size_t at = 2; /* also one of the ends */
    st_lower_bound(at, at, at + 2, items[at] < 4);
    assert_int_equal(at, 3);
}

static void allocate_all(void *size) {
    st_free_table(st_alloc_table(*(size_t *)size, 64), *(size_t *)size, 64);
}

static void work_that_can_be_done_without_survives_the_end_of_memory(void **unused) {
    (void)unused;
    size_t little = 10, all = SIZE_MAX / 8;
    assert_true(st_try(allocate_all, &little));
    assert_false(st_try(allocate_all, &all));
    assert_true(st_try(allocate_all, &little));
}

static void the_next_bit_may_be_many_words_away(void **state) {
    (void)state;
    uint64_t words[4] = {0};
    assert_int_equal(st_bit_next(words, 0, 256), 256);
    assert_int_equal(st_bit_next(words, 3, 70), 70);
    st_bit_set(words, 5);
    st_bit_set(words, 200);
    assert_int_equal(st_bit_next(words, 0, 256), 5);
    assert_int_equal(st_bit_next(words, 5, 256), 5);
    assert_int_equal(st_bit_next(words, 6, 256), 200);
    assert_int_equal(st_bit_next(words, 6, 200), 200);
    assert_int_equal(st_bit_next(words, 6, 100), 100);
    assert_int_equal(st_bit_next(words, 201, 256), 256);
    assert_int_equal(st_bit_next(words, 256, 256), 256);
}

/* Near, far, and at the limits of words and levels. */
static void expect_neighbours(const struct st_sparse_set *set, const uint64_t *members, int count) {
    for (int i = 0; i < count; i++) {
        uint64_t below = i ? members[i - 1] : ST_SPARSE_NONE;
        uint64_t above = i + 1 < count ? members[i + 1] : ST_SPARSE_NONE;
        assert_int_equal(st_sparse_next(set, members[i]), members[i]);
        assert_int_equal(st_sparse_last(set, members[i]), members[i]);
        assert_int_equal(st_sparse_next(set, members[i] + 1), above);
        if (members[i])
            assert_int_equal(st_sparse_last(set, members[i] - 1), below);
    }
}

static void a_sparse_set_finds_the_nearest_members(void **state) {
    (void)state;
    static const uint64_t members[] = {0,
                                       1,
                                       63,
                                       64,
                                       4095,
                                       4096,
                                       4097,
                                       1 << 18,
                                       1ull << 30,
                                       (1ull << 36) - 1,
                                       1ull << 36,
                                       1ull << 47,
                                       (1ull << 52) - 1,
                                       1ull << 59,
                                       ST_SPARSE_LIMIT};
    enum { COUNT = sizeof members / sizeof *members };
    struct st_sparse_set set;
    st_sparse_init(&set);
    assert_int_equal(st_sparse_next(&set, 0), ST_SPARSE_NONE);
    assert_int_equal(st_sparse_last(&set, UINT64_MAX), ST_SPARSE_NONE);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < COUNT; i++) /* some from the top, some from below */
            st_sparse_add(&set, members[i % 2 ? i : (COUNT - 1 - i) / 2 * 2]);
        expect_neighbours(&set, members, COUNT);
        assert_int_equal(st_sparse_last(&set, UINT64_MAX), ST_SPARSE_LIMIT);
        for (int left = COUNT; left > 0; left--) {
            st_sparse_remove(&set, members[left - 1]);
            st_sparse_remove(&set, members[left - 1]);
            expect_neighbours(&set, members, left - 1);
        }
        assert_int_equal(st_sparse_next(&set, 0), ST_SPARSE_NONE);
    }
    st_sparse_free(&set);
}

/* Against plain arrays: rows come from one another in random ways, and are dropped in between. */
static void shared_rows_are_like_arrays(void **state) {
    (void)state;
    enum { ROWS = 12, ENTRIES = 5000, STEPS = 20000 };
    static uint32_t arrays[ROWS][ENTRIES];
    struct st_shared_row *rows[ROWS] = {NULL};
    struct st_rows all;
    st_rows_init(&all);
    uint64_t random = 1;
    for (uint32_t step = 1; step <= STEPS; step++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        uint32_t a = (uint32_t)(random >> 33) % ROWS, b = (uint32_t)(random >> 43) % ROWS;
        /* Few entries at first, so that trees of different heights meet. */
        uint32_t at = (uint32_t)(random >> 20) % (step < STEPS / 2 ? 40 : ENTRIES);
        if (step % 7 == 0 && a != b) {
            bool grows = false;
            for (uint32_t i = 0; i < ENTRIES; i++) {
                grows |= arrays[b][i] > arrays[a][i];
                arrays[a][i] = arrays[b][i] > arrays[a][i] ? arrays[b][i] : arrays[a][i];
            }
            assert_int_equal(st_row_join(&all, &rows[a], rows[b]), grows);
        } else if (step % 11 == 0 && a != b) {
            st_row_drop(&all, rows[a]);
            rows[a] = st_row_share(rows[b]);
            memcpy(arrays[a], arrays[b], sizeof arrays[a]);
        } else {
            st_row_set(&all, &rows[a], at, step);
            arrays[a][at] = step;
        }
        assert_int_equal(st_row_get(rows[a], at), arrays[a][at]);
        assert_int_equal(st_row_get(rows[b], at), arrays[b][at]);
    }
    for (uint32_t r = 0; r < ROWS; r++) {
        uint64_t at = 0, seen = 0;
        for (const uint32_t *leaf; (leaf = st_row_leaf(rows[r], &at)); at += ST_ROW_FAN)
            for (uint32_t i = 0; i < ST_ROW_FAN; i++)
                seen += leaf[i] != 0 && at + i < ENTRIES && leaf[i] == arrays[r][at + i];
        for (uint32_t i = 0; i < ENTRIES; i++) {
            assert_int_equal(st_row_get(rows[r], i), arrays[r][i]);
            seen -= arrays[r][i] != 0;
        }
        assert_int_equal(seen, 0);
        assert_int_equal(st_row_get(rows[r], UINT32_MAX), 0);
        st_row_drop(&all, rows[r]);
    }
    assert_int_equal(all.used_bytes, 0);
    st_rows_free(&all);
}

/* Each row is the one before and an entry more. */
static void a_long_chain_of_rows_shares_its_nodes(void **state) {
    (void)state;
    enum { ROWS = 4096 };
    static struct st_shared_row *rows[ROWS];
    struct st_rows all;
    st_rows_init(&all);
    for (uint32_t r = 0; r < ROWS; r++) {
        st_row_set(&all, &rows[r], r, r + 1);
        if (r)
            st_row_join(&all, &rows[r], rows[r - 1]);
    }
    assert_int_equal(st_row_get(rows[ROWS - 1], 0), 1);
    assert_true(all.used_bytes < ROWS * 3 * sizeof(struct st_shared_row));
    st_rows_free(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_that_can_be_done_without_survives_the_end_of_memory),
        cmocka_unit_test(ids_are_numbered_in_order_of_appearance),
        cmocka_unit_test(zero_and_the_largest_id_are_ids_like_any_other),
        cmocka_unit_test(many_ids_survive_growth),
        cmocka_unit_test(a_renewed_id_gets_a_new_number_and_the_old_one_keeps_its_id),
        cmocka_unit_test(keys_of_one_size_are_numbered_and_kept),
        cmocka_unit_test(a_key_and_the_start_of_it_are_two_keys),
        cmocka_unit_test(keys_with_one_hash_differ),
        cmocka_unit_test(a_cleared_table_starts_again),
        cmocka_unit_test(a_number_is_added_to_a_set_once),
        cmocka_unit_test(bits_are_set_and_cleared_one_by_one),
        cmocka_unit_test(a_set_of_bits_grows),
        cmocka_unit_test(the_next_bit_may_be_many_words_away),
        cmocka_unit_test(a_sparse_set_finds_the_nearest_members),
        cmocka_unit_test(the_lower_bound_is_the_first_that_is_not_before),
        cmocka_unit_test(shared_rows_are_like_arrays),
        cmocka_unit_test(a_long_chain_of_rows_shares_its_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
