/* The atomicity specification: its lines, its patterns, and what it makes of the events of a trace.
 */
#include "spec/pattern.h"
#include "spec/select.h"
#include "spec/spec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct st_spec *try_read(const char *text, size_t length, struct st_error *error) {
    FILE *file = tmpfile();
    fwrite(text, 1, length, file);
    rewind(file);
    struct st_spec *spec = st_spec_read(file, "s", error);
    fclose(file);
    return spec;
}

static struct st_spec *read_spec(const char *text) {
    struct st_error error;
    struct st_spec *spec = try_read(text, strlen(text), &error);
    if (!spec)
        fail_msg("line %d: %s", (int)error.position, error.cause);
    return spec;
}

static bool is_atomic(const char *text, const char *function, const char *file) {
    struct st_spec *spec = read_spec(text);
    bool atomic = st_spec_calls_atomic(spec, st_spec_rank(spec, ST_SPEC_FUNCTION, function),
                                       st_spec_rank(spec, ST_SPEC_FILE, file));
    st_spec_free(spec);
    return atomic;
}

#define assert_atomic(text, function, file) assert_true(is_atomic(text, function, file))
#define assert_ignored(text, function, file) assert_false(is_atomic(text, function, file))

static void assert_refused_bytes(const char *text, size_t length, uint64_t line,
                                 const char *cause) {
    struct st_error error;
    assert_null(try_read(text, length, &error));
    assert_string_equal(error.cause, cause);
    assert_string_equal(error.file, "s");
    assert_int_equal(error.at, ST_AT_LINE);
    assert_int_equal(error.position, line);
}

static void assert_refused(const char *text, uint64_t line, const char *cause) {
    assert_refused_bytes(text, strlen(text), line, cause);
}

/* ---- Lines ---- */

static void methods_of_published_lists_are_ignored(void **state) {
    (void)state;
    const char list[] = "elevator/Lift.doIdle()V\ntsp/Tour.cost(I[J)Ljava/lang/String; # slow\n";
    assert_ignored(list, "elevator.Lift.doIdle", "elevator/Lift.java");
    assert_ignored(list, "tsp.Tour.cost", "");
    assert_atomic(list, "elevator.Lift.doIdleNow", "");
    assert_atomic(list, "elevator/Lift.doIdle", "");
    assert_ignored("Main.main()V", "Main.main", "");
    assert_ignored("Lelevator/Lift;.doIdle ()V:78(0)", "elevator.Lift.doIdle", "");
    assert_ignored("LPhilo;.run ()V:49(0)) # started", "Philo.run", "");
    assert_ignored("La/B$C;.<init> (La/D;)V:0(-2)", "a.B$C.<init>", "");
    assert_atomic("Lelevator/Lift;.doIdle ()V:78(0)", "Lelevator.Lift.doIdle", "");
    assert_ignored("a/B.<init>()V", "a.B.<init>", "");
    assert_refused("a/B.c()V d", 1, "expected nothing after the method, not 'd'");
    assert_refused("a/B.c()", 1, "expected 'atomic' or 'ignore', not 'a/B.c()'");
    assert_refused("a/B.c", 1, "expected 'atomic' or 'ignore', not 'a/B.c'");
    assert_refused("La/B;.c", 1, "expected 'atomic' or 'ignore', not 'La/B;.c'");
    assert_refused("La/B; ()V:1(0)", 1, "expected 'atomic' or 'ignore', not 'La/B;'");
    assert_refused("La/B;.c ()V:1(0) d", 1, "expected nothing after the method, not 'd'");
    assert_refused("c(I)V", 1, "expected 'atomic' or 'ignore', not 'c(I)V'");
}

static void without_lines_everything_is_atomic(void **state) {
    (void)state;
    const char *const empty[] = {"", "\n", "# nothing\n", " \t\n\n  # x", "\r\n", "atomic section"};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        assert_atomic(empty[i], "f", "a.c");
}

static void ignore_takes_away_from_everything(void **state) {
    (void)state;
    assert_ignored("ignore function f\n", "f", "");
    assert_atomic("ignore function f\n", "g", "");
    assert_ignored("ignore file a.c\n", "f", "a.c");
    assert_atomic("ignore file a.c\n", "f", "b.c");
}

static void atomic_lists_all_there_is(void **state) {
    (void)state;
    assert_atomic("atomic function f\n", "f", "");
    assert_ignored("atomic function f\n", "g", "");
    assert_atomic("atomic file a.c\n", "f", "a.c");
    assert_ignored("atomic file a.c\n", "f", "b.c");
    assert_ignored("atomic function f\nignore function h\n", "g", "");
}

static void later_lines_win(void **state) {
    (void)state;
    const char *some = "atomic function acct_*\nignore function acct_log*\n"
                       "atomic function acct_logout\n";
    assert_atomic(some, "acct_add", "");
    assert_ignored(some, "acct_log", "");
    assert_ignored(some, "acct_log_in", "");
    assert_atomic(some, "acct_logout", "");
    assert_ignored("atomic function f\nignore function f\n", "f", "");
    assert_atomic("ignore function f\natomic function f\n", "f", "");
    assert_ignored("atomic function f\nignore function *\n", "f", "");
    assert_atomic("ignore function *\natomic function f\n", "f", "");
    assert_ignored("atomic function f\nignore file a.c\n", "f", "a.c");
    assert_atomic("ignore file a.c\natomic function f\n", "f", "a.c");
    assert_atomic("ignore function f\natomic file a.c\n", "f", "a.c");
}

static void blanks_comments_and_crlf_do_not_matter(void **state) {
    (void)state;
    const char *const same[] = {"ignore function f",
                                "ignore function f\r\n",
                                "\t ignore \t function  f  \n",
                                "ignore function f# why\n",
                                "ignore function f # \"why\n",
                                "# first\n\nignore function f\n# last",
                                "ignore function \"f\"#\n"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        assert_ignored(same[i], "f", "");
        assert_atomic(same[i], "g", "");
    }
}

static void sections_are_noted(void **state) {
    (void)state;
    struct st_spec *spec = read_spec("# x\natomic section # y\natomic section\n");
    assert_int_equal(st_spec_section_line(spec), 2);
    st_spec_free(spec);
    spec = read_spec("atomic function section\n");
    assert_int_equal(st_spec_section_line(spec), 0);
    st_spec_free(spec);
}

static void a_spec_knows_what_it_is_about(void **state) {
    (void)state;
    struct st_spec *spec = read_spec("ignore function f\n");
    assert_true(st_spec_mentions(spec, ST_SPEC_FUNCTION));
    assert_false(st_spec_mentions(spec, ST_SPEC_FILE));
    st_spec_free(spec);
    spec = read_spec("ignore file a*\n");
    assert_false(st_spec_mentions(spec, ST_SPEC_FUNCTION));
    assert_true(st_spec_mentions(spec, ST_SPEC_FILE));
    st_spec_free(spec);
}

static void malformed_lines_say_what_was_expected(void **state) {
    (void)state;
    assert_refused("frob\n", 1, "expected 'atomic' or 'ignore', not 'frob'");
    assert_refused("# x\n\natomics function f\n", 3,
                   "expected 'atomic' or 'ignore', not 'atomics'");
    assert_refused("Atomic function f\n", 1, "expected 'atomic' or 'ignore', not 'Atomic'");
    assert_refused("atomic f\n", 1,
                   "expected 'function', 'file', 'section' or 'thread' after 'atomic', not 'f'");
    assert_refused(
        "atomic\r\n", 1,
        "expected 'function', 'file', 'section' or 'thread' after 'atomic', not the end of the "
        "line");
    assert_refused(
        "ignore section\n", 1,
        "expected 'function', 'file', 'elements' or 'thread' after 'ignore', not 'section'");
    assert_refused("ignore # all\n", 1,
                   "expected 'function', 'file', 'elements' or 'thread' after 'ignore', not the "
                   "end of the line");
    assert_refused("atomic function\n", 1, "expected a pattern, not the end of the line");
    assert_refused("atomic function #f\n", 1, "expected a pattern, not the end of the line");
    assert_refused("atomic function f g\n", 1,
                   "expected nothing after the pattern (one with blanks goes in double quotes), "
                   "not 'g'");
    assert_refused("atomic function \"f\"g\n", 1,
                   "expected nothing after the pattern (one with blanks goes in double quotes), "
                   "not 'g'");
    assert_refused("atomic section x\n", 1, "expected nothing after 'atomic section', not 'x'");
    assert_refused("atomic function \"f # g\n", 1, "expected a closing '\"'");
    assert_refused("atomic function \"f\\\"\n", 1, "expected a closing '\"'");
    assert_refused("atomic function f\\\n", 1, "expected a character after '\\'");
    assert_refused("atomic function f\\x1\n", 1,
                   "expected two hexadecimal digits, not 00, after '\\x'");
    assert_refused("atomic function f\\x00\n", 1,
                   "expected two hexadecimal digits, not 00, after '\\x'");
    assert_refused_bytes("atomic\0function", 15, 1, "zero byte; this is no specification");
}

/* ---- Patterns ---- */

static bool matches(const char *written, const char *name) {
    struct st_pattern pattern;
    const char *missing;
    const char *rest = st_pattern_parse(&pattern, written, &missing);
    if (!rest)
        fail_msg("%s: expected %s", written, missing);
    assert_string_equal(rest, "");
    bool result = st_pattern_matches(&pattern, name);
    free(pattern.text);
    return result;
}

static void globs_are_those_of_the_shell(void **state) {
    (void)state;
    assert_true(matches("acct_*", "acct_add"));
    assert_true(matches("acct_*", "acct_"));
    assert_false(matches("acct_*", "my_acct_add"));
    assert_true(matches("?at", "cat"));
    assert_false(matches("?at", "at"));
    assert_true(matches("[a-c]x", "bx"));
    assert_false(matches("[!a-c]x", "bx"));
    assert_true(matches("third_party/*", "third_party/zlib/inflate.c"));
    assert_true(matches("*", ".hidden"));
    assert_true(matches("*", ""));
    assert_false(matches("?*", ""));
    assert_true(matches("\"\"", ""));
    assert_true(matches("operator[]", "operator[]"));
}

static void names_stand_for_themselves(void **state) {
    (void)state;
    assert_true(matches("f(int,char)", "f(int,char)"));
    assert_true(matches("std::map<int>::~map", "std::map<int>::~map"));
    assert_true(matches("operator\"\"_km", "operator\"\"_km"));
    assert_false(matches("f", "F"));
    assert_false(matches("f", "ff"));
}

static void quotes_and_backslashes_take_meaning_away(void **state) {
    (void)state;
    assert_true(matches("\"operator new\"", "operator new"));
    assert_true(matches("operator\\ new", "operator new"));
    assert_true(matches("\"a # b\"", "a # b"));
    assert_true(matches("a\\#b", "a#b"));
    assert_true(matches("\"say \\\"hi\\\"\"", "say \"hi\""));
    assert_true(matches("\"operator *\"", "operator new"));
    assert_true(matches("operator\\*", "operator*"));
    assert_false(matches("operator\\*", "operatornew"));
    assert_true(matches("a\\\\b", "a\\b"));
    assert_true(matches("a\\\\*", "a\\bc"));
    assert_true(matches("\\x41\\x0a", "A\n"));
    assert_true(matches("\\x2a", "*"));
    assert_false(matches("\\x2a", "x"));
    assert_true(matches("\\x2a*", "*x"));
}

static void what_is_written_for_a_name_matches_just_that_name(void **state) {
    (void)state;
    const char *const names[] = {"",       "f",        "operator new",
                                 "a#b",    "\"",       "\\",
                                 "a\\*",   "*",        "?",
                                 "[ab]",   "[",        "]",
                                 "x\ny",   "\t",       "\x7f\x1b",
                                 " ",      "\xc3\xa9", "\xff",
                                 "a\\x41", "\\x",      "f(int, char)",
                                 "-",      "{a,b}",    "~",
                                 "a\rb\r", "#",        "\"a b\"",
                                 "!(x)",   "a'b",      "$x"};
    size_t count = sizeof names / sizeof *names;
    for (size_t i = 0; i < count; i++) {
        char *written = st_pattern_of(names[i]);
        for (size_t j = 0; j < count; j++)
            assert_int_equal(matches(written, names[j]), i == j);
        assert_null(strpbrk(written, "\n\r\t\x1b\x7f"));
        free(written);
    }
}

static void every_byte_can_be_written(void **state) {
    (void)state;
    for (int byte = 1; byte < 256; byte++) {
        char name[] = {'a', (char)byte, 'b', '\0'};
        char other[] = {'a', (char)(byte == 'x' ? 'y' : 'x'), 'b', '\0'};
        char *written = st_pattern_of(name);
        assert_true(matches(written, name));
        assert_false(matches(written, other));
        free(written);
    }
}

static void simple_names_are_written_as_they_are(void **state) {
    (void)state;
    char *written = st_pattern_of("std::vector<int>::push_back(int&&)");
    assert_string_equal(written, "std::vector<int>::push_back(int&&)");
    free(written);
    written = st_pattern_of("operator new");
    assert_string_equal(written, "\"operator new\"");
    free(written);
}

/* ---- What becomes of events ---- */

struct fixture {
    struct st_symbols symbols;
    struct st_event events[32];
    size_t count;
    struct st_spec *spec;
    struct st_selection *selection;
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    st_symbols_init(&f->symbols);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    st_selection_free(f->selection);
    st_spec_free(f->spec);
    st_symbols_free(&f->symbols);
    free(f);
    return 0;
}

static void add(struct fixture *f, uint32_t thread, enum st_op op, const char *block,
                const char *loc) {
    struct st_event *event = &f->events[f->count++];
    event->thread = thread;
    event->op = event->written = op;
    event->loc = st_location_add(&f->symbols, loc, strlen(loc)) & ((ST_LOC_NAME << 1) - 1);
    event->target = block ? st_names_add(&f->symbols.blocks, block, strlen(block)) : ST_NO_NAME;
}

static void begin(struct fixture *f, uint32_t thread, const char *block, const char *loc) {
    add(f, thread, ST_BEGIN, block, loc);
}

static void end(struct fixture *f, uint32_t thread) {
    add(f, thread, ST_END, NULL, "");
}

/* One letter an event: the mark is gone '.', or it still begins '(' or ends ')' a block. */
static void assert_marks(struct fixture *f, const char *spec, const char *marks) {
    f->spec = read_spec(spec);
    f->selection = st_selection_new(f->spec, &f->symbols, true);
    st_select(f->selection, f->events, f->count / 2); /* in two batches */
    st_select(f->selection, f->events + f->count / 2, f->count - f->count / 2);
    char got[33] = "";
    for (size_t i = 0; i < f->count; i++) {
        uint64_t op = f->events[i].op;
        got[i] = op == ST_BEGIN ? '(' : op == ST_END ? ')' : op == ST_UNMARKED ? '.' : 'x';
        assert_true(f->events[i].written == ST_BEGIN || f->events[i].written == ST_END ||
                    got[i] == 'x');
    }
    assert_string_equal(got, marks);
}

static uint64_t executed(const struct fixture *f, const char *block) {
    const struct st_selected *selected = st_selection_selected(f->selection);
    uint32_t number = st_names_find(&f->symbols.blocks, block, strlen(block));
    return number < selected->executed_count ? selected->executed[number] : 0;
}

static void an_end_vanishes_with_its_begin(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "f", "1");
    begin(f, 0, "g", "2");
    begin(f, 1, "f", "1");
    begin(f, 0, "f", "1");
    end(f, 0);
    end(f, 0);
    begin(f, 1, "g", "2");
    end(f, 0);
    end(f, 1);
    end(f, 1);
    assert_marks(f, "ignore function f", ".(...)(.).");
    assert_int_equal(executed(f, "g"), 2);
    assert_int_equal(executed(f, "f"), 0);
    assert_int_equal(st_selection_selected(f->selection)->all, 2);
}

static void the_file_of_the_begin_decides(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "f", "lib/a.c:21");
    end(f, 0);
    begin(f, 0, "f", "lib/a.c:21:5");
    end(f, 0);
    begin(f, 0, "f", "lib/a.c");
    end(f, 0);
    begin(f, 0, "f", "app.c:7");
    end(f, 0);
    begin(f, 0, "f", "lib/a.cc:21");
    end(f, 0);
    begin(f, 0, "f", "12");
    end(f, 0);
    assert_marks(f, "ignore file lib/?.c", "......()()()");
    assert_int_equal(executed(f, "f"), 3);
}

static void a_location_that_is_a_number_has_no_file(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "f", "12");
    end(f, 0);
    begin(f, 0, "f", ":12");
    end(f, 0);
    begin(f, 0, "f", "x:12:");
    end(f, 0);
    assert_marks(f, "atomic file \"\"", "()()..");
}

static void unnamed_blocks_have_the_empty_name(void **state) {
    struct fixture *f = *state;
    begin(f, 0, NULL, "1");
    begin(f, 0, "f", "1");
    end(f, 0);
    end(f, 0);
    assert_marks(f, "ignore function ?*", "(..)");
    assert_int_equal(st_selection_selected(f->selection)->unnamed, 1);
}

static void a_star_matches_unnamed_blocks_too(void **state) {
    struct fixture *f = *state;
    begin(f, 0, NULL, "1");
    end(f, 0);
    assert_marks(f, "ignore function *", "..");
    assert_int_equal(st_selection_selected(f->selection)->unnamed, 0);
}

static void other_events_stay(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "f", "1");
    add(f, 0, ST_READ, "x", "1");
    f->events[f->count - 1].op = ST_DROPPED;
    add(f, 0, ST_WRITE, "x", "1");
    end(f, 0);
    assert_marks(f, "ignore function f", ".xx.");
    assert_int_equal(f->events[1].op, ST_DROPPED);
    assert_int_equal(f->events[2].op, ST_WRITE);
}

#define with_fixture(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_of_published_lists_are_ignored),
        cmocka_unit_test(without_lines_everything_is_atomic),
        cmocka_unit_test(ignore_takes_away_from_everything),
        cmocka_unit_test(atomic_lists_all_there_is),
        cmocka_unit_test(later_lines_win),
        cmocka_unit_test(blanks_comments_and_crlf_do_not_matter),
        cmocka_unit_test(sections_are_noted),
        cmocka_unit_test(a_spec_knows_what_it_is_about),
        cmocka_unit_test(malformed_lines_say_what_was_expected),
        cmocka_unit_test(globs_are_those_of_the_shell),
        cmocka_unit_test(names_stand_for_themselves),
        cmocka_unit_test(quotes_and_backslashes_take_meaning_away),
        cmocka_unit_test(what_is_written_for_a_name_matches_just_that_name),
        cmocka_unit_test(every_byte_can_be_written),
        cmocka_unit_test(simple_names_are_written_as_they_are),
        with_fixture(an_end_vanishes_with_its_begin),
        with_fixture(the_file_of_the_begin_decides),
        with_fixture(a_location_that_is_a_number_has_no_file),
        with_fixture(unnamed_blocks_have_the_empty_name),
        with_fixture(a_star_matches_unnamed_blocks_too),
        with_fixture(other_events_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
