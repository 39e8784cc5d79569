/* The journal of a crew: answers survive, and damage costs no more than what is behind it. */
#include "cluster/journal.h"
#include "cluster/packing.h"

#include "base/memory.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/seriatim-journal-XXXXXX";
static char path[sizeof folder + 16];

static int make_folder(void **state) {
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/journal", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static struct st_journal *open_it(void) {
    struct st_error error;
    struct st_journal *journal = st_journal_open(folder, "a job", &error);
    if (!journal)
        fail_msg("%s", error.cause);
    return journal;
}

/* Question i is the number; the answer is so many bytes of it, and one more. */
static void add(struct st_journal *journal, uint32_t i) {
    struct st_error error;
    char answer[300];
    memset(answer, (int)i, sizeof answer);
    assert_int_equal(st_journal_add(journal, &i, sizeof i, answer, i + 1, &error), 0);
}

static bool has(const struct st_journal *journal, uint32_t i) {
    size_t length;
    const char *answer = st_journal_find(journal, &i, sizeof i, &length);
    if (!answer)
        return false;
    assert_int_equal(length, i + 1);
    for (size_t j = 0; j < length; j++)
        assert_int_equal((unsigned char)answer[j], i);
    return true;
}

static void write_some(uint32_t count) {
    struct st_journal *journal = open_it();
    for (uint32_t i = 0; i < count; i++)
        add(journal, i);
    st_journal_close(journal);
}

static void answers_are_there_when_it_is_opened_again(void **state) {
    (void)state;
    enum { COUNT = 200 };
    write_some(COUNT);
    struct st_journal *journal = open_it();
    assert_int_equal(st_journal_count(journal), COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_true(has(journal, i));
    assert_false(has(journal, COUNT));
    st_journal_close(journal);
}

/* Wherever it is cut off, what is before that is there, and it can be written on. */
static void a_torn_write_costs_one_answer(void **state) {
    (void)state;
    enum { COUNT = 6 };
    struct stat status;
    write_some(COUNT);
    assert_int_equal(stat(path, &status), 0);
    size_t before = COUNT;
    for (off_t size = status.st_size; size >= 0; size--) {
        assert_int_equal(truncate(path, size), 0);
        struct st_journal *journal = open_it();
        size_t count = st_journal_count(journal);
        assert_true(count <= before);
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(has(journal, i), i < count);
        st_journal_close(journal);
        if (count == before || count + 1 == before)
            before = count;
        else
            fail_msg("%zu answers were lost at once", before - count);
    }
    write_some(COUNT);
    struct st_journal *journal = open_it();
    assert_int_equal(st_journal_count(journal), COUNT);
    st_journal_close(journal);
}

static void a_bit_that_changed_is_noticed(void **state) {
    (void)state;
    enum { COUNT = 4 };
    struct stat status;
    write_some(COUNT);
    assert_int_equal(stat(path, &status), 0);
    int fd = open(path, O_RDWR);
    for (off_t at = 60; at < status.st_size; at++) {
        char byte;
        assert_int_equal(pread(fd, &byte, 1, at), 1);
        byte ^= 4;
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
        char *copy = st_alloc((size_t)status.st_size, 1);
        assert_int_equal(pread(fd, copy, (size_t)status.st_size, 0), status.st_size);
        struct st_journal *journal = open_it();
        assert_true(st_journal_count(journal) < COUNT);
        for (uint32_t i = 0; i < COUNT; i++)
            has(journal, i); /* what is there is right */
        st_journal_close(journal);
        byte ^= 4;
        assert_int_equal(pwrite(fd, copy, (size_t)status.st_size, 0), status.st_size);
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
        free(copy);
    }
    close(fd);
}

static void a_journal_has_one_user_and_one_job(void **state) {
    (void)state;
    struct st_error error;
    struct st_journal *journal = open_it();
    assert_null(st_journal_open(folder, "a job", &error));
    assert_string_equal(error.cause, "is in use: another job goes on from this folder");
    st_journal_close(journal);
    assert_null(st_journal_open(folder, "another job", &error));
    assert_non_null(strstr(error.cause, "is of another job or another build (a job)"));
}

static void what_was_packed_is_unpacked(void **state) {
    (void)state;
    struct st_packed packed = {0};
    size_t length;
    st_pack_number(&packed, 7);
    st_pack_text(&packed, NULL);
    st_pack_text(&packed, "text");
    st_pack_real(&packed, 0.5);
    st_pack_bytes(&packed, "abc", 3);
    struct st_unpacking from = st_unpack(packed.bytes, packed.length);
    assert_int_equal(st_unpack_below(&from, 8), 7);
    assert_null(st_unpack_text(&from));
    char *text = st_unpack_text(&from);
    assert_string_equal(text, "text");
    assert_true(st_unpack_real(&from) == 0.5);
    assert_memory_equal(st_unpack_bytes(&from, &length), "abc", 3);
    assert_false(from.bad);
    assert_int_equal(st_unpack_number(&from), 0);
    assert_true(from.bad);
    free(text);
    st_packed_free(&packed);
}

/* What is cut off anywhere gives nothing that is not there. */
static void what_is_cut_off_is_bad(void **state) {
    (void)state;
    struct st_packed packed = {0};
    st_pack_text(&packed, "some text");
    st_pack_number(&packed, 3);
    for (size_t length = 0; length < packed.length; length++) {
        struct st_unpacking from = st_unpack(packed.bytes, length);
        free(st_unpack_text(&from));
        assert_int_equal(st_unpack_number(&from), 0);
        assert_true(from.bad);
    }
    st_packed_free(&packed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(answers_are_there_when_it_is_opened_again, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_torn_write_costs_one_answer, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_bit_that_changed_is_noticed, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_journal_has_one_user_and_one_job, make_folder,
                                        remove_folder),
        cmocka_unit_test(what_was_packed_is_unpacked),
        cmocka_unit_test(what_is_cut_off_is_bad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
