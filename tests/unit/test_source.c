/* Lines of source that a report quotes: only where there are any, and never more than a line. */
#include "report/source/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    char folder[64];
    struct st_sources *sources;
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    strcpy(f->folder, "/tmp/seriatim-source-XXXXXX");
    if (!mkdtemp(f->folder))
        return -1;
    f->sources = st_sources_new(f->folder, 0);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", f->folder);
    st_sources_free(f->sources);
    free(f);
    return system(command);
}

static void put_file(const struct fixture *f, const char *name, const char *text, size_t size) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

static void assert_line(const struct fixture *f, const char *location, const char *expected) {
    const char *line;
    size_t length;
    if (!st_source_line(f->sources, location, &line, &length))
        fail_msg("nothing to quote at %s", location);
    if (length != strlen(expected) || memcmp(line, expected, length) != 0)
        fail_msg("'%.*s' is quoted instead of '%s'", (int)length, line, expected);
}

static void assert_no_line(const struct fixture *f, const char *location) {
    const char *line;
    size_t length;
    if (st_source_line(f->sources, location, &line, &length))
        fail_msg("'%.*s' is quoted for %s", (int)length, line, location);
}

static void a_line_comes_without_the_blanks_around_it(void **state) {
    struct fixture *f = *state;
    static const char text[] = "first\n\t  second(a,\tb); \r\n\n   \nlast";
    put_file(f, "a.c", text, sizeof text - 1);
    assert_line(f, "a.c:1", "first");
    assert_line(f, "a.c:2", "second(a,\tb);");
    assert_line(f, "a.c:5", "last");
    assert_no_line(f, "a.c:3");
    assert_no_line(f, "a.c:4");
}

static void lines_that_are_not_there_are_not_quoted(void **state) {
    struct fixture *f = *state;
    put_file(f, "a.c", "one\ntwo\n", 8);
    assert_line(f, "a.c:2", "two");
    assert_line(f, "a.c:1:2", "one"); /* with a column */
    static const char *const locations[] = {
        "a.c:0",   "a.c:3", "a.c:4",  "a.c:99999999999999999999",
        "a.c:",    "a.c",   ":1",     "",
        "1",       "b.c:1", "a.c:1x", "a.c:-1",
        "a.c+0x12"};
    for (size_t i = 0; i < sizeof locations / sizeof *locations; i++)
        assert_no_line(f, locations[i]);
}

static void what_is_no_source_is_not_quoted(void **state) {
    struct fixture *f = *state;
    static const char binary[] = "int\0x;\n";
    char path[128];
    put_file(f, "binary.c", binary, sizeof binary - 1);
    put_file(f, "empty.c", "", 0);
    put_file(f, "secret.key", "one\n", 4);
    put_file(f, "c", "one\n", 4);
    snprintf(path, sizeof path, "%s/pipe.c", f->folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    snprintf(path, sizeof path, "%s/folder.c", f->folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/zero.c", f->folder);
    assert_int_equal(symlink("/dev/zero", path), 0);
    assert_no_line(f, "binary.c:1");
    assert_no_line(f, "empty.c:1");
    assert_no_line(f, "secret.key:1");
    assert_no_line(f, "c:1");
    assert_no_line(f, "pipe.c:1");
    assert_no_line(f, "folder.c:1");
    assert_no_line(f, "zero.c:1");
}

static void put_link(const struct fixture *f, const char *name, const char *target) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    assert_int_equal(symlink(target, path), 0);
}

static void a_link_leads_to_sources_only(void **state) {
    struct fixture *f = *state;
    put_file(f, "secret", "the password\n", 13);
    put_file(f, "real.c", "int x;\n", 7);
    put_link(f, "evil.c", "secret");
    put_link(f, "passwd.c", "/etc/passwd");
    put_link(f, "linked.c", "real.c");
    put_link(f, "twice.c", "linked.c");
    put_link(f, "here", ".");
    put_link(f, "round.c", "round.c");
    assert_no_line(f, "evil.c:1");
    assert_no_line(f, "passwd.c:1");
    assert_no_line(f, "round.c:1");
    assert_line(f, "linked.c:1", "int x;");
    assert_line(f, "twice.c:1", "int x;");
    assert_line(f, "here/here/real.c:1", "int x;");
}

static void a_huge_file_is_not_read(void **state) {
    struct fixture *f = *state;
    char path[128];
    put_file(f, "huge.c", "one\n", 4);
    snprintf(path, sizeof path, "%s/huge.c", f->folder);
    assert_int_equal(truncate(path, (off_t)1 << 40), 0);
    assert_no_line(f, "huge.c:1");
}

static void absolute_paths_do_not_start_in_the_folder(void **state) {
    struct fixture *f = *state;
    char location[128];
    put_file(f, "a.c", "one\n", 4);
    snprintf(location, sizeof location, "%s/a.c:1", f->folder);
    assert_line(f, location, "one");
    assert_no_line(f, "/a.c:1");
}

static void what_is_newer_than_the_program_is_not_quoted(void **state) {
    struct fixture *f = *state;
    const char *first;
    struct stat status;
    char path[128];
    put_file(f, "a.c", "one\n", 4);
    put_file(f, "b.c", "two\n", 4);
    snprintf(path, sizeof path, "%s/a.c", f->folder);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(st_sources_newer(f->sources, &first), 0);

    st_sources_free(f->sources);
    f->sources = st_sources_new(f->folder, status.st_mtime - 1);
    assert_no_line(f, "a.c:1");
    assert_no_line(f, "a.c:1");
    assert_no_line(f, "b.c:1");
    assert_int_equal(st_sources_newer(f->sources, &first), 2);
    assert_string_equal(first, "a.c");

    st_sources_free(f->sources);
    f->sources = st_sources_new(f->folder, status.st_mtime);
    assert_line(f, "a.c:1", "one");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_line_comes_without_the_blanks_around_it),
        TEST(lines_that_are_not_there_are_not_quoted),
        TEST(what_is_no_source_is_not_quoted),
        TEST(a_link_leads_to_sources_only),
        TEST(a_huge_file_is_not_read),
        TEST(absolute_paths_do_not_start_in_the_folder),
        TEST(what_is_newer_than_the_program_is_not_quoted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
