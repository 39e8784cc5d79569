/* Text in columns: what lines up, and what does not. */
#include "report/text/columns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Prints the cells, which end with NULL. */
static void assert_printed(struct st_columns columns, const char *const *cells,
                           const char *expected) {
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    for (; *cells; cells++)
        fputs(*cells, st_columns_cell(&columns));
    st_columns_print(&columns, "> ", file);
    fclose(file);
    assert_string_equal(text, expected);
    free(text);
}

static void cells_start_together_or_end_together(void **state) {
    (void)state;
    const char *const cells[] = {"block", "executed", "a", "7", "transfer", "12", NULL};
    assert_printed((struct st_columns){.count = 2, .right = 1 << 1}, cells,
                   "> block     executed\n"
                   "> a                7\n"
                   "> transfer        12\n");
}

static void empty_cells_leave_no_blanks_at_the_end(void **state) {
    (void)state;
    const char *const cells[] = {"a", "", "b", "long", "", "", "", "", "", NULL};
    assert_printed((struct st_columns){.count = 3}, cells, "> a     b\n> long\n> \n");
}

static void a_column_of_empty_cells_takes_no_room(void **state) {
    (void)state;
    const char *const cells[] = {"a", "", "b", "aa", "", "bb", NULL};
    assert_printed((struct st_columns){.count = 3}, cells, "> a   b\n> aa  bb\n");
}

static void an_overlong_cell_sticks_out(void **state) {
    (void)state;
    const char *const cells[] = {"01234567890123456789012345678901234567890123456789", "x", "a",
                                 "y", NULL};
    assert_printed((struct st_columns){.count = 2}, cells,
                   "> 01234567890123456789012345678901234567890123456789  x\n"
                   "> a                                         y\n");
}

static void a_table_may_have_wider_columns(void **state) {
    (void)state;
    const char *const cells[] = {"01234567890123456789012345678901234567890123456789", "x", "a",
                                 "y", NULL};
    assert_printed((struct st_columns){.count = 2, .widest = 50}, cells,
                   "> 01234567890123456789012345678901234567890123456789  x\n"
                   "> a                                                   y\n");
}

static void a_loose_cell_does_not_widen_its_column(void **state) {
    (void)state;
    struct st_columns columns = {.count = 2};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    fputs("a", st_columns_cell(&columns));
    fputs("b", st_columns_cell(&columns));
    fputs("a remark", st_columns_loose_cell(&columns));
    st_columns_cell(&columns);
    st_columns_print(&columns, "", file);
    fclose(file);
    assert_string_equal(text, "a  b\na remark\n");
    free(text);
}

static void characters_count_not_bytes(void **state) {
    (void)state;
    const char *const cells[] = {"\xc3\xa9t\xc3\xa9", "x", "hiver", "y", NULL};
    assert_printed((struct st_columns){.count = 2}, cells,
                   "> \xc3\xa9t\xc3\xa9    x\n"
                   "> hiver  y\n");
}

static void nothing_is_printed_of_no_cells(void **state) {
    (void)state;
    const char *const cells[] = {NULL};
    assert_printed((struct st_columns){.count = 2}, cells, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_start_together_or_end_together),
        cmocka_unit_test(empty_cells_leave_no_blanks_at_the_end),
        cmocka_unit_test(a_column_of_empty_cells_takes_no_room),
        cmocka_unit_test(an_overlong_cell_sticks_out),
        cmocka_unit_test(a_table_may_have_wider_columns),
        cmocka_unit_test(a_loose_cell_does_not_widen_its_column),
        cmocka_unit_test(characters_count_not_bytes),
        cmocka_unit_test(nothing_is_printed_of_no_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
