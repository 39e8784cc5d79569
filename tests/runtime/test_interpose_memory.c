/* Events of the heap, of pages, and of what the C library reads and writes. */
#define _GNU_SOURCE
#include "mock_core.h"

#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include <cmocka.h>

/* The next block of this size will be where one is now. */
static void *name_next_block(size_t size) {
    void *block = malloc(size);
    free(block);
    mock_begin();
    mock_name(block, size, "block");
    return block;
}

static void blocks_are_allocated_and_freed(void **state) {
    (void)state;
    void *there = name_next_block(1000);
    void *block = malloc(1000);
    assert_ptr_equal(block, there);
    assert_string_equal(mock_emitted(0), "allocate block:1000");
    size_t usable = malloc_usable_size(block);
    char expected[100];
    sprintf(expected, "allocate block:1000, free block:%zu", usable);
    free(block);
    assert_string_equal(mock_emitted(0), expected);
}

static void the_caller_of_an_allocation_is_the_programs(void **state) {
    (void)state;
    name_next_block(1000);
    void *block = malloc(1000);
    intptr_t distance =
        (intptr_t)mock_caller() - (intptr_t)the_caller_of_an_allocation_is_the_programs;
    assert_in_range(distance, 1, 1000);
    free(block);
}

static void every_way_to_a_block_is_told(void **state) {
    (void)state;
    void *blocks[7];
    assert_int_equal(posix_memalign(&blocks[0], 64, 100), 0);
    blocks[1] = aligned_alloc(64, 128);
    blocks[2] = memalign(64, 100);
    blocks[3] = valloc(100);
    blocks[4] = pvalloc(100);
    blocks[5] = calloc(10, 10);
    blocks[6] = reallocarray(NULL, 10, 10);
    mock_begin();
    for (int i = 0; i < 7; i++) {
        assert_non_null(blocks[i]);
        mock_name(blocks[i], 1, "block");
        free(blocks[i]);
    }
    int events = 0;
    for (const char *at = mock_emitted(0); (at = strstr(at, "free block")); at++)
        events++;
    assert_int_equal(events, 7);
    volatile size_t much = SIZE_MAX / 2;
    errno = 0;
    assert_null(reallocarray(NULL, much, 4));
    assert_int_equal(errno, ENOMEM);
    assert_null(calloc(much, 4));
    assert_null(malloc(much));
}

static void a_resized_block_is_a_copy(void **state) {
    (void)state;
    char *block = malloc(5000);
    size_t usable = malloc_usable_size(block);
    block[0] = 'x';
    mock_begin();
    mock_name(block, 1, "block");
    char *same = realloc(block, 4900);
    assert_ptr_equal(same, block);
    char expected[200];
    sprintf(expected, "read block:4900, free block:%zu, allocate block:4900, write block:4900",
            usable);
    assert_string_equal(mock_emitted(0), expected);
    mock_begin();
    mock_name(block, 1, "block");
    volatile size_t much = SIZE_MAX / 2;
    usable = malloc_usable_size(block);
    assert_null(realloc(block, much));
    assert_int_equal(block[0], 'x');
    sprintf(expected, "read block:%zu, free block:%zu, allocate block:%zu, write block:%zu", usable,
            usable, usable, usable);
    assert_string_equal(mock_emitted(0), expected);
    free(block);
}

static void a_copy_has_only_the_pages_that_were_touched(void **state) {
    (void)state;
    mallopt(M_MMAP_THRESHOLD, 128 * 1024); /* it has pages of its own, whatever was freed before */
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    char *block = malloc(9 << 20);
    size_t usable = malloc_usable_size(block), first = 4096 - (uintptr_t)block % 4096;
    block[0] = 'x';
    block[first + 100 * 4096 + 7] = 'y';
    block[first + 101 * 4096] = 'y';
    block[(8 << 20) - 1] = 'z';
    size_t last = first + ((8 << 20) - first) / 4096 * 4096;
    mock_begin();
    mock_name(block, 9 << 20, "block");
    assert_ptr_equal(realloc(block, 8 << 20), block);
    char expected[400], ranges[2][160], *words[] = {"read", "write"};
    for (int i = 0; i < 2; i++)
        sprintf(ranges[i], "%s block:%zu, %s block+%zu:8192, %s block+%zu:%zu", words[i], first,
                words[i], first + 100 * 4096, words[i], last, ((size_t)8 << 20) - last);
    sprintf(expected, "%s, free block:%zu, allocate block:8388608, %s", ranges[0], usable,
            ranges[1]);
    assert_string_equal(mock_emitted(0), expected);
    free(block);
}

static void pages_are_told(void **state) {
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    mock_begin();
    mock_name(pages, 4 * page, "pages");
    void *again = mmap(pages, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    assert_ptr_equal(again, pages);
    errno = 0;
    assert_int_equal(munmap(pages + 1, page), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(munmap(pages, (size_t)1 << 60), -1);
    assert_int_equal(munmap(NULL, (size_t)-1), -1);
    assert_int_equal(munmap(pages + page, page), 0);
    assert_ptr_equal(mremap(pages + 2 * page, 2 * page, page, 0), pages + 2 * page);
    assert_int_equal(munmap(pages, 4 * page), 0);
    assert_true(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    assert_string_equal(mock_emitted(0),
                        "free pages:4096, allocate pages:4096, free pages+4096:4096, "
                        "free pages+12288:4096, free pages:16384");
}

/* ---- strings ---- */

static char a[64], b[64];

#define TELLS(expected, ...)                                                                       \
    do {                                                                                           \
        mock_begin();                                                                              \
        mock_name(a, sizeof a, "a");                                                               \
        mock_name(b, sizeof b, "b");                                                               \
        __VA_ARGS__;                                                                               \
        const char *emitted = mock_emitted(0);                                                     \
        check_emitted(emitted, expected, __LINE__);                                                \
    } while (0)

/* Comparing emits events too. */
static void check_emitted(const char *emitted, const char *expected, int line) {
    if (strcmp(emitted, expected)) {
        print_error("line %d: emitted:  %s\n", line, emitted);
        print_error("line %d: expected: %s\n", line, expected);
        fail();
    }
}

static void fill(const char *left, const char *right) {
    memset(a, 'x', sizeof a);
    memset(b, 'x', sizeof b);
    memcpy(a, left, strlen(left) + 1);
    memcpy(b, right, strlen(right) + 1);
}

static void memory_functions_tell_what_they_touch(void **state) {
    (void)state;
    fill("hello", "world");
    TELLS("read b:5, write a:5", assert_ptr_equal(memcpy(a, b, 5), a));
    TELLS("read b:5, write a+1:5", assert_ptr_equal(mempcpy(a + 1, b, 5), a + 6));
    TELLS("read a:5, write a+1:5", memmove(a + 1, a, 5));
    TELLS("write a:9", memset(a, 0, 9));
    TELLS("write a:9", bzero(a, 9));
    TELLS("read b:5, write a:5", bcopy(b, a, 5));
    TELLS("read b:3, write a:3", assert_ptr_equal(memccpy(a, b, 'r', 9), a + 3));
    TELLS("read b:5, write a:5", assert_null(memccpy(a, b, 'z', 5)));
    TELLS("", memcpy(a, b, 0));
    fill("hello", "help");
    TELLS("read a:4, read b:4", assert_true(memcmp(a, b, 5) < 0));
    TELLS("read a:3, read b:3", assert_int_equal(memcmp(a, b, 3), 0));
    TELLS("read a:4, read b:4", assert_true(bcmp(a, b, 5) != 0));
    TELLS("read a:3", assert_ptr_equal(memchr(a, 'l', 5), a + 2));
    TELLS("read a:5", assert_null(memchr(a, 'z', 5)));
    TELLS("read a+3:2", assert_ptr_equal(memrchr(a, 'l', 5), a + 3));
    TELLS("read a:5", assert_ptr_equal(rawmemchr(a, 'o'), a + 4));
    TELLS("read a:4, read b:2", b[0] = b[1] = 'l', assert_ptr_equal(memmem(a, 6, b, 2), a + 2));
}

static void string_functions_stop_where_strings_end(void **state) {
    (void)state;
    fill("hello", "help");
    TELLS("read a:6", assert_int_equal(strlen(a), 5));
    TELLS("read a:3", assert_int_equal(strnlen(a, 3), 3));
    TELLS("read a:6", assert_int_equal(strnlen(a, 30), 5));
    TELLS("read a:4, read b:4", assert_true(strcmp(a, b) < 0));
    TELLS("read a:3, read b:3", assert_int_equal(strncmp(a, b, 3), 0));
    TELLS("read a:4, read b:4", assert_true(strcasecmp(a, b) < 0));
    TELLS("read a:3, read b:3", assert_int_equal(strncasecmp(a, b, 3), 0));
    TELLS("read a:3", assert_ptr_equal(strchr(a, 'l'), a + 2));
    TELLS("read a:6", assert_null(strchr(a, 'z')));
    TELLS("read a:6", assert_ptr_equal(strchrnul(a, 'z'), a + 5));
    TELLS("read a:6", assert_ptr_equal(strrchr(a, 'l'), a + 3));
    TELLS("read b:3, read a:4", strcpy(b, "ll"), mock_begin(), mock_name(a, 64, "a"),
          mock_name(b, 64, "b"), assert_ptr_equal(strstr(a, b), a + 2));
    TELLS("read b:3, read a:4", assert_ptr_equal(strcasestr(a, b), a + 2));
    TELLS("read a:1, read b:3", assert_int_equal(strspn(a, b), 0));
    TELLS("read a:3, read b:3", assert_int_equal(strcspn(a, b), 2));
    TELLS("read a:3, read b:3", assert_ptr_equal(strpbrk(a, b), a + 2));
}

static void copies_of_strings_tell_both_sides(void **state) {
    (void)state;
    fill("hello", "you");
    TELLS("read b:4, write a:4", assert_ptr_equal(strcpy(a, b), a));
    TELLS("read b:4, write a:4", assert_ptr_equal(stpcpy(a, b), a + 3));
    TELLS("read b:4, write a:9", strncpy(a, b, 9));
    TELLS("read b:2, write a:2", strncpy(a, b, 2));
    TELLS("read b:4, write a:9", assert_ptr_equal(stpncpy(a, b, 9), a + 3));
    fill("hello", "you");
    TELLS("read a:6, read b:4, write a+5:4", strcat(a, b));
    assert_string_equal(a, "helloyou");
    TELLS("read a:9, read b:2, write a+8:3", strncat(a, b, 2));
    assert_string_equal(a, "helloyouyo");
    TELLS("read b:4", free(strdup(b)));
    TELLS("read b:2", free(strndup(b, 2)));
    assert_int_equal(mock_refused(), 0);
}

extern void *__memcpy_chk(void *, const void *, size_t, size_t);
extern void *__memset_chk(void *, int, size_t, size_t);
extern char *__strcpy_chk(char *, const char *, size_t);
extern char *__strncat_chk(char *, const char *, size_t, size_t);

static void fortified_functions_are_the_same(void **state) {
    (void)state;
    fill("hello", "you");
    TELLS("read b:3, write a:3", __memcpy_chk(a, b, 3, sizeof a));
    TELLS("write a:3", __memset_chk(a, 0, 3, sizeof a));
    TELLS("read b:4, write a:4", __strcpy_chk(a, b, sizeof a));
    TELLS("read a:4, read b:2, write a+3:3", __strncat_chk(a, b, 2, sizeof a));
}

static void a_copy_of_a_string_is_allocated_for_its_caller(void **state) {
    (void)state;
    memset(a, 'x', 60);
    a[60] = '\0';
    name_next_block(61);
    char *copy = strdup(a);
    assert_string_equal(mock_emitted(0), "allocate block:61, write block:61");
    free(copy);
}

/* ---- files ---- */

static void what_comes_from_files_is_written(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    TELLS("read a:10", assert_int_equal(write(ends[0], a, 10), 10));
    TELLS("write b:10", assert_int_equal(read(ends[1], b, 30), 10));
    TELLS("read a:10", assert_int_equal(send(ends[0], a, 10, 0), 10));
    TELLS("write b:10", assert_int_equal(recv(ends[1], b, 30, 0), 10));
    struct iovec out[2] = {{a, 4}, {a + 10, 4}}, in[2] = {{b, 5}, {b + 10, 50}};
    TELLS("read a:4, read a+10:4", assert_int_equal(writev(ends[0], out, 2), 8));
    TELLS("write b:5, write b+10:3", assert_int_equal(readv(ends[1], in, 2), 8));
    struct msghdr send_it = {.msg_iov = out, .msg_iovlen = 2};
    struct msghdr get_it = {.msg_iov = in, .msg_iovlen = 2};
    TELLS("read a:4, read a+10:4", assert_int_equal(sendmsg(ends[0], &send_it, 0), 8));
    TELLS("write b:5, write b+10:3", assert_int_equal(recvmsg(ends[1], &get_it, 0), 8));
    errno = 0;
    TELLS("", assert_int_equal(recv(ends[1], b, 30, MSG_DONTWAIT), -1));
    assert_int_equal(errno, EAGAIN);
    TELLS("", assert_int_equal(read(-1, b, 30), -1));
    assert_int_equal(errno, EBADF);
    close(ends[0]), close(ends[1]);
}

static void streams_and_formatted_text_are_told(void **state) {
    (void)state;
    TELLS("write a:3", sprintf(a, "%d", 42));
    TELLS("write a:2", assert_int_equal(snprintf(a, 2, "%d", 42), 2));
    TELLS("", assert_int_equal(snprintf(NULL, 0, "%d", 42), 2));
    FILE *file = tmpfile();
    assert_non_null(file);
    strcpy(a, "two\nlines");
    TELLS("read a:9", assert_int_equal(fwrite(a, 1, 9, file), 9));
    rewind(file);
    TELLS("write b:5", assert_ptr_equal(fgets(b, 64, file), b));
    TELLS("write b:4", assert_int_equal(fread(b, 2, 10, file), 2));
    rewind(file);
    char *line = NULL;
    size_t room = 0;
    assert_int_equal(getline(&line, &room, file), 4);
    rewind(file);
    TELLS("write line:5", mock_name(line, room, "line"),
          assert_int_equal(getline(&line, &room, file), 4));
    assert_string_equal(line, "two\n");
    free(line);
    fclose(file);
}

static int by_byte(const void *left, const void *right) {
    return *(const char *)left - *(const char *)right;
}

static void sorting_writes_all(void **state) {
    (void)state;
    strcpy(a, "sorting");
    TELLS("read a:7, write a:7", qsort(a, 7, 1, by_byte));
    assert_string_equal(a, "ginorst");
    TELLS("", qsort(a, 1, 1, by_byte));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_allocated_and_freed),
        cmocka_unit_test(the_caller_of_an_allocation_is_the_programs),
        cmocka_unit_test(every_way_to_a_block_is_told),
        cmocka_unit_test(a_resized_block_is_a_copy),
        cmocka_unit_test(a_copy_has_only_the_pages_that_were_touched),
        cmocka_unit_test(pages_are_told),
        cmocka_unit_test(memory_functions_tell_what_they_touch),
        cmocka_unit_test(string_functions_stop_where_strings_end),
        cmocka_unit_test(copies_of_strings_tell_both_sides),
        cmocka_unit_test(fortified_functions_are_the_same),
        cmocka_unit_test(a_copy_of_a_string_is_allocated_for_its_caller),
        cmocka_unit_test(what_comes_from_files_is_written),
        cmocka_unit_test(streams_and_formatted_text_are_told),
        cmocka_unit_test(sorting_writes_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
