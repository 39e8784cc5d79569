/* Text from others on a terminal: nothing in it is obeyed, and no character is cut. */
#include "report/text/glyphs.h"

#include "report/text/text_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_shown(const char *text, size_t columns, const char *expected) {
    struct st_text_buffer buffer;
    st_put_safely(st_text_buffer_open(&buffer), text, strlen(text), columns);
    char *shown = st_text_buffer_close(&buffer);
    assert_string_equal(shown, expected);
    assert_true(st_width(shown) <= columns);
    free(shown);
}

static void control_characters_are_shown_as_numbers(void **state) {
    (void)state;
    assert_shown("a\x1b[2J\tb\x7f", SIZE_MAX, "a\\x1b[2J\\x09b\\x7f");
    assert_shown("\xc2\x9b"
                 "2J",
                 SIZE_MAX, "\\xc2\\x9b2J"); /* the same as one character */
}

static void what_turns_the_direction_is_shown_as_numbers(void **state) {
    (void)state;
    assert_shown("x\xe2\x80\xaey", SIZE_MAX, "x\\xe2\\x80\\xaey");
    assert_shown("\xe2\x81\xa6", SIZE_MAX, "\\xe2\\x81\\xa6");
}

static void bytes_that_are_no_utf_8_are_shown_as_numbers(void **state) {
    (void)state;
    assert_shown("\xe9t\xe9", SIZE_MAX, "\\xe9t\\xe9");                 /* Latin 1 */
    assert_shown("\xc3", SIZE_MAX, "\\xc3");                            /* cut off */
    assert_shown("\xc0\xaf", SIZE_MAX, "\\xc0\\xaf");                   /* longer than needed */
    assert_shown("\xed\xa0\x80", SIZE_MAX, "\\xed\\xa0\\x80");          /* a surrogate */
    assert_shown("\xf4\x90\x80\x80", SIZE_MAX, "\\xf4\\x90\\x80\\x80"); /* beyond the last */
    assert_shown("\xff\x80", SIZE_MAX, "\\xff\\x80");
}

static void other_characters_stay(void **state) {
    (void)state;
    assert_shown("\xc3\xa9t\xc3\xa9 \xe4\xbd\x99 \xf0\x9f\x92\xb0", SIZE_MAX,
                 "\xc3\xa9t\xc3\xa9 \xe4\xbd\x99 \xf0\x9f\x92\xb0");
}

static void a_long_text_ends_with_dots(void **state) {
    (void)state;
    assert_shown("balance", 7, "balance");
    assert_shown("balances", 7, "bala...");
    assert_shown("balance", 3, "...");
}

static void no_character_is_cut(void **state) {
    (void)state;
    assert_shown("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 4, "\xc3\xa9...");
    assert_shown("\xe4\xbd\x99\xe4\xbd\x99\xe4\xbd\x99", 6, "\xe4\xbd\x99\xe4\xbd\x99\xe4\xbd\x99");
    assert_shown("\xe4\xbd\x99\xe4\xbd\x99\xe4\xbd\x99", 5, "\xe4\xbd\x99...");
    assert_shown("a\x1b"
                 "bcdef",
                 7, "a..."); /* an escape is not cut either */
}

static void assert_ends(const char *text, size_t columns, const char *expected) {
    struct st_text_buffer buffer;
    st_put_ends(st_text_buffer_open(&buffer), text, strlen(text), columns);
    char *shown = st_text_buffer_close(&buffer);
    assert_string_equal(shown, expected);
    assert_true(st_width(shown) <= columns);
    free(shown);
}

static void a_long_name_keeps_both_ends(void **state) {
    (void)state;
    assert_ends("worker-12", 9, "worker-12");
    assert_ends("worker-12", 8, "wor...12");
    assert_ends("worker-12", 3, "...");
    assert_ends("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 5, "\xc3\xa9...\xc3\xa9");
    assert_ends("\xe4\xbd\x99\xe4\xbd\x99\xe4\xbd\x99\xe4\xbd\x99", 6, "\xe4\xbd\x99...");
    assert_ends("\x1b"
                "bcdef\x1b",
                11, "\\x1b...\\x1b");
    assert_ends("\x1b"
                "bcdef\x1b",
                10, "\\x1b..."); /* an escape is not cut */
}

static void colors_take_no_room(void **state) {
    (void)state;
    assert_int_equal(st_width("\033[1;31mred\033[0m"), 3);
    assert_int_equal(st_width("e\xcc\x81"), 1); /* an accent of its own */
}

static void assert_wrapped(const char *text, size_t width, const char *expected) {
    struct st_text_buffer buffer;
    st_put_wrapped(st_text_buffer_open(&buffer), text, 0, "  ", width);
    char *shown = st_text_buffer_close(&buffer);
    assert_string_equal(shown, expected);
    free(shown);
}

static void sentences_are_broken_between_words(void **state) {
    (void)state;
    assert_wrapped("one two three", 0, "one two three\n");
    assert_wrapped("one two three", 13, "one two three\n");
    assert_wrapped("one two three", 12, "one two\n  three\n");
    assert_wrapped("one two three", 4, "one\n  two\n  three\n");
    assert_wrapped("\033[1mone\033[0m two", 7, "\033[1mone\033[0m two\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_characters_are_shown_as_numbers),
        cmocka_unit_test(what_turns_the_direction_is_shown_as_numbers),
        cmocka_unit_test(bytes_that_are_no_utf_8_are_shown_as_numbers),
        cmocka_unit_test(other_characters_stay),
        cmocka_unit_test(a_long_text_ends_with_dots),
        cmocka_unit_test(no_character_is_cut),
        cmocka_unit_test(a_long_name_keeps_both_ends),
        cmocka_unit_test(colors_take_no_room),
        cmocka_unit_test(sentences_are_broken_between_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
