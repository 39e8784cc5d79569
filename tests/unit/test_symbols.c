/* Names and locations as numbers. */
#include "trace/symbols.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static int set_up(void **state) {
    struct st_symbols *symbols = malloc(sizeof *symbols);
    st_symbols_init(symbols);
    *state = symbols;
    return 0;
}

static int tear_down(void **state) {
    st_symbols_free(*state);
    free(*state);
    return 0;
}

/* Both ways to add a location must agree, and give the text back. */
static uint64_t add(struct st_symbols *symbols, const char *text) {
    char padded[64] = {0}, buffer[ST_LOCATION_SIZE];
    size_t length = strlen(text);
    memset(padded, '7', sizeof padded - 1); /* what follows the text must not matter */
    memcpy(padded, text, length);
    uint64_t loc = st_location_add_padded(symbols, padded, length);
    assert_int_equal(loc, st_location_add(symbols, text, length));
    assert_string_equal(st_location_text(symbols, loc, buffer), text);
    return loc;
}

static void plain_numbers_are_numbers(void **state) {
    assert_int_equal(add(*state, "0"), 0);
    assert_int_equal(add(*state, "7"), 7);
    assert_int_equal(add(*state, "1234567"), 1234567);
    assert_int_equal(add(*state, "12345678"), 12345678);
    assert_int_equal(add(*state, "123456789"), 123456789);
    assert_int_equal(add(*state, "140737488355327"), ST_LOC_NUMBER_LIMIT - 1);
}

static void everything_else_is_a_name(void **state) {
    const char *const names[] = {"",    "-1",  "+1", "007",       "1 ",        "1:2",
                                 "12/", "0x1", "1e", "bank.c:21", "99999999a", "140737488355328"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_true(add(*state, names[i]) & ST_LOC_NAME);
}

static void every_byte_beside_digits_makes_a_name(void **state) {
    for (int byte = 1; byte < 256; byte++) {
        for (size_t at = 0; at < 3; at++) {
            char text[4] = "555";
            text[at] = (char)byte;
            bool number = byte >= '0' && byte <= '9' && !(at == 0 && byte == '0');
            assert_int_equal(!(add(*state, text) & ST_LOC_NAME), number);
        }
    }
}

static void names_of_every_length_keep_their_numbers(void **state) {
    struct st_names *names = &((struct st_symbols *)*state)->variables;
    char text[80];
    memset(text, 'x', sizeof text);
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t length = 0; length < 60; length++) {
            struct st_name_key plain = st_name_key(text, length);
            struct st_name_key padded = st_name_key_padded(text, length);
            assert_int_equal(plain.hash, padded.hash);
            assert_int_equal(st_names_number(names, round ? &padded : &plain), length);
            assert_int_equal(st_name_length(names, length), length);
        }
    }
    assert_int_equal(st_names_find(names, text, 60), ST_NAMES_FULL);
}

static void appended_names_are_found_like_others(void **state) {
    struct st_names *names = &((struct st_symbols *)*state)->blocks;
    assert_int_equal(st_names_add(names, "a", 1), 0);
    char text[16];
    for (uint32_t i = 1; i < 1000; i++) {
        int length = snprintf(text, sizeof text, "n%u", i);
        assert_int_equal(st_names_append(names, text, (size_t)length), i);
    }
    assert_int_equal(st_names_append(names, "n5", 2), 1000);
    assert_int_equal(st_names_add(names, "z", 1), 1001);
    assert_int_equal(st_names_find(names, "n999", 4), 999);
    assert_int_equal(st_names_find(names, "n5", 2), 5);
    assert_int_equal(st_names_find(names, "z", 1), 1001);
    assert_int_equal(st_names_find(names, "n1000", 5), ST_NAMES_FULL);
}

static void a_hundred_thousand_names_are_told_apart(void **state) {
    struct st_names *names = &((struct st_symbols *)*state)->locks;
    char text[40];
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 100000; i++) {
            int length = snprintf(text, sizeof text, i % 2 ? "x%u" : "some.longer.name.%u", i);
            assert_int_equal(st_names_add(names, text, (size_t)length), i);
        }
    }
    assert_string_equal(st_name(names, 99999), "x99999");
}

/* Names that are a text and a number are kept in another way. Numbers far apart have no room there
 * at first, and get it later, when there are more names. */
static void names_with_numbers_far_apart_keep_their_numbers(void **state) {
    struct st_names *names = &((struct st_symbols *)*state)->variables;
    char text[40];
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 20000; i++) {
            int length = snprintf(text, sizeof text, "v%u", i * 4003 % 20000 * 4999);
            assert_int_equal(st_names_add(names, text, (size_t)length), i);
            assert_int_equal(st_names_find(names, text, (size_t)length), i);
        }
    }
}

static void names_that_look_like_numbers_differ(void **state) {
    struct st_names *names = &((struct st_symbols *)*state)->variables;
    const char *const texts[] = {"7",
                                 "07",
                                 "x7",
                                 "x07",
                                 "x007",
                                 "x",
                                 "",
                                 "x70",
                                 "x7 ",
                                 "x12345678",
                                 "x123456789",
                                 "0",
                                 "x0",
                                 "x00",
                                 "7x7",
                                 "77x7",
                                 "x4294967303",
                                 "a.b",
                                 "a.long.prefix.7",
                                 "a.long.prefix..7",
                                 "a.long.prefix...7"};
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++)
            assert_int_equal(st_names_add(names, texts[i], strlen(texts[i])), i);
}

/* More prefixes than there are series. */
static void many_prefixes_keep_their_numbers(void **state) {
    struct st_names *names = &((struct st_symbols *)*state)->variables;
    char text[40];
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 10000; i++) {
            int length = snprintf(text, sizeof text, "p%c%c%u", 'a' + (int)i % 26,
                                  'a' + (int)(i / 26) % 26, i / 676);
            assert_int_equal(st_names_add(names, text, (size_t)length), i);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(plain_numbers_are_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(everything_else_is_a_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_byte_beside_digits_makes_a_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_of_every_length_keep_their_numbers, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(appended_names_are_found_like_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_with_numbers_far_apart_keep_their_numbers, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(names_that_look_like_numbers_differ, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_prefixes_keep_their_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_hundred_thousand_names_are_told_apart, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
