/* The functions of <string.h>: which bytes they read and write.
 *
 * A function that stops at a zero byte or at a difference reads up to there, no matter how far the
 * real one looks. Accesses are emitted before they are made where their extent is known by then,
 * and after otherwise. A result of the real function is never second-guessed.
 *
 * This file is compiled with -fno-builtin: its loops must not become calls of what it defines. */
#define _GNU_SOURCE
#include "runtime/core/access.h"
#include "runtime/intercept/interpose.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define READS(memory, size) rt_read_range((uintptr_t)(memory), size, RT_CALLER)
#define WRITES(memory, size) rt_write_range((uintptr_t)(memory), size, RT_CALLER)

RT_REAL(void *, memcpy, void *, const void *, size_t)
RT_REAL(void *, mempcpy, void *, const void *, size_t)
RT_REAL(void *, memmove, void *, const void *, size_t)
RT_REAL(void *, memset, void *, int, size_t)
RT_REAL(void *, memccpy, void *, const void *, int, size_t)
RT_REAL(void, bzero, void *, size_t)
RT_REAL(void, bcopy, const void *, void *, size_t)
RT_REAL(int, memcmp, const void *, const void *, size_t)
RT_REAL(int, bcmp, const void *, const void *, size_t)
RT_REAL(void *, memchr, const void *, int, size_t)
RT_REAL(void *, memrchr, const void *, int, size_t)
RT_REAL(void *, rawmemchr, const void *, int)
RT_REAL(void *, memmem, const void *, size_t, const void *, size_t)
RT_REAL(size_t, strlen, const char *)
RT_REAL(size_t, strnlen, const char *, size_t)
RT_REAL(char *, strcpy, char *, const char *)
RT_REAL(char *, strncpy, char *, const char *, size_t)
RT_REAL(char *, stpcpy, char *, const char *)
RT_REAL(char *, stpncpy, char *, const char *, size_t)
RT_REAL(char *, strcat, char *, const char *)
RT_REAL(char *, strncat, char *, const char *, size_t)
RT_REAL(int, strcmp, const char *, const char *)
RT_REAL(int, strncmp, const char *, const char *, size_t)
RT_REAL(int, strcasecmp, const char *, const char *)
RT_REAL(int, strncasecmp, const char *, const char *, size_t)
RT_REAL(char *, strchr, const char *, int)
RT_REAL(char *, strchrnul, const char *, int)
RT_REAL(char *, strrchr, const char *, int)
RT_REAL(char *, strstr, const char *, const char *)
RT_REAL(char *, strcasestr, const char *, const char *)
RT_REAL(size_t, strspn, const char *, const char *)
RT_REAL(size_t, strcspn, const char *, const char *)
RT_REAL(char *, strpbrk, const char *, const char *)
RT_REAL(char *, strdup, const char *)
RT_REAL(char *, strndup, const char *, size_t)

/* ---- memory ---- */

/* Compilers would copy a number without a call, but for our sake they do not: so it is done here.
 */
typedef uint16_t __attribute__((aligned(1), may_alias)) number2;
typedef uint32_t __attribute__((aligned(1), may_alias)) number4;
typedef uint64_t __attribute__((aligned(1), may_alias)) number8;

RT_EXPORT void *memcpy(void *restrict to, const void *restrict from, size_t size) {
    RT_EMIT(READS(from, size), WRITES(to, size));
    switch (size) {
    case 2:
        *(number2 *)to = *(const number2 *)from;
        return to;
    case 4:
        *(number4 *)to = *(const number4 *)from;
        return to;
    case 8:
        *(number8 *)to = *(const number8 *)from;
        return to;
    default:
        return real_memcpy()(to, from, size);
    }
}

RT_EXPORT void *mempcpy(void *restrict to, const void *restrict from, size_t size) {
    RT_EMIT(READS(from, size), WRITES(to, size));
    return real_mempcpy()(to, from, size);
}

RT_EXPORT void *memmove(void *to, const void *from, size_t size) {
    RT_EMIT(READS(from, size), WRITES(to, size));
    return real_memmove()(to, from, size);
}

RT_EXPORT void *memset(void *to, int byte, size_t size) {
    RT_EMIT(WRITES(to, size));
    return real_memset()(to, byte, size);
}

RT_EXPORT void bzero(void *to, size_t size) {
    RT_EMIT(WRITES(to, size));
    real_bzero()(to, size);
}

RT_EXPORT void bcopy(const void *from, void *to, size_t size) {
    RT_EMIT(READS(from, size), WRITES(to, size));
    real_bcopy()(from, to, size);
}

RT_EXPORT void *memccpy(void *restrict to, const void *restrict from, int byte, size_t size) {
    void *end = real_memccpy()(to, from, byte, size);
    size_t copied = end ? (size_t)((char *)end - (char *)to) : size;
    RT_EMIT(READS(from, copied), WRITES(to, copied));
    return end;
}

/* How many bytes of each it takes to see a difference, or all. */
static size_t bytes_to_differ(const void *a, const void *b, size_t size) {
    const unsigned char *left = a, *right = b;
    for (size_t i = 0; i < size; i++)
        if (left[i] != right[i])
            return i + 1;
    return size;
}

RT_EXPORT int memcmp(const void *a, const void *b, size_t size) {
    int result = real_memcmp()(a, b, size);
    RT_EMIT(size_t bytes = result ? bytes_to_differ(a, b, size) : size; READS(a, bytes);
            READS(b, bytes));
    return result;
}

RT_EXPORT int bcmp(const void *a, const void *b, size_t size) {
    int result = real_bcmp()(a, b, size);
    RT_EMIT(size_t bytes = result ? bytes_to_differ(a, b, size) : size; READS(a, bytes);
            READS(b, bytes));
    return result;
}

/* From the start of the memory to the byte that was found. */
static size_t up_to(const void *memory, const void *byte) {
    return (size_t)((const char *)byte - (const char *)memory) + 1;
}

RT_EXPORT void *memchr(const void *memory, int byte, size_t size) {
    void *at = real_memchr()(memory, byte, size);
    RT_EMIT(READS(memory, at ? up_to(memory, at) : size));
    return at;
}

RT_EXPORT void *memrchr(const void *memory, int byte, size_t size) {
    char *at = real_memrchr()(memory, byte, size);
    const char *end = (const char *)memory + size;
    RT_EMIT(READS(at ? at : memory, at ? (size_t)(end - at) : size));
    return at;
}

RT_EXPORT void *rawmemchr(const void *memory, int byte) {
    void *at = real_rawmemchr()(memory, byte);
    RT_EMIT(READS(memory, up_to(memory, at)));
    return at;
}

RT_EXPORT void *memmem(const void *memory, size_t size, const void *part, size_t part_size) {
    char *at = real_memmem()(memory, size, part, part_size);
    RT_EMIT(READS(memory, at ? (size_t)(at - (const char *)memory) + part_size : size),
            READS(part, part_size));
    return at;
}

/* ---- strings ---- */

/* With its zero byte. */
static size_t whole(const char *string) {
    return real_strlen()(string) + 1;
}

/* The same, but for at most `limit` bytes. */
static size_t whole_within(const char *string, size_t limit) {
    size_t length = real_strnlen()(string, limit);
    return length < limit ? length + 1 : limit;
}

RT_EXPORT size_t strlen(const char *string) {
    size_t length = real_strlen()(string);
    RT_EMIT(READS(string, length + 1));
    return length;
}

RT_EXPORT size_t strnlen(const char *string, size_t limit) {
    size_t length = real_strnlen()(string, limit);
    RT_EMIT(READS(string, length < limit ? length + 1 : limit));
    return length;
}

#define COPY_STRING(from, to, size)                                                                \
    RT_EMIT(size_t bytes = size; READS(from, bytes); WRITES(to, bytes))

/* These fill the rest with zeros. */
#define COPY_AND_FILL(from, to, limit)                                                             \
    RT_EMIT(READS(from, whole_within(from, limit)), WRITES(to, limit))

/* They look for the end first. */
#define APPEND(from, to, read, written)                                                            \
    RT_EMIT(size_t used = whole(to); READS(to, used); READS(from, read);                           \
            WRITES(to + used - 1, written))

RT_EXPORT char *strcpy(char *restrict to, const char *restrict from) {
    COPY_STRING(from, to, whole(from));
    return real_strcpy()(to, from);
}

RT_EXPORT char *stpcpy(char *restrict to, const char *restrict from) {
    COPY_STRING(from, to, whole(from));
    return real_stpcpy()(to, from);
}

RT_EXPORT char *strncpy(char *restrict to, const char *restrict from, size_t limit) {
    COPY_AND_FILL(from, to, limit);
    return real_strncpy()(to, from, limit);
}

RT_EXPORT char *stpncpy(char *restrict to, const char *restrict from, size_t limit) {
    COPY_AND_FILL(from, to, limit);
    return real_stpncpy()(to, from, limit);
}

RT_EXPORT char *strcat(char *restrict to, const char *restrict from) {
    APPEND(from, to, whole(from), whole(from));
    return real_strcat()(to, from);
}

RT_EXPORT char *strncat(char *restrict to, const char *restrict from, size_t limit) {
    APPEND(from, to, whole_within(from, limit), real_strnlen()(from, limit) + 1);
    return real_strncat()(to, from, limit);
}

/* How many bytes of each it takes to see a difference or the end of both. */
static size_t chars_to_differ(const char *a, const char *b, size_t limit, bool fold) {
    for (size_t i = 0; i < limit; i++) {
        unsigned char left = (unsigned char)a[i], right = (unsigned char)b[i];
        if (!left || !right)
            return i + 1;
        if (left != right && (!fold || tolower(left) != tolower(right)))
            return i + 1;
    }
    return limit;
}

#define COMPARE(a, b, limit, fold)                                                                 \
    RT_EMIT(size_t bytes = chars_to_differ(a, b, limit, fold); READS(a, bytes); READS(b, bytes))

RT_EXPORT int strcmp(const char *a, const char *b) {
    COMPARE(a, b, SIZE_MAX, false);
    return real_strcmp()(a, b);
}

RT_EXPORT int strncmp(const char *a, const char *b, size_t limit) {
    COMPARE(a, b, limit, false);
    return real_strncmp()(a, b, limit);
}

RT_EXPORT int strcasecmp(const char *a, const char *b) {
    COMPARE(a, b, SIZE_MAX, true);
    return real_strcasecmp()(a, b);
}

RT_EXPORT int strncasecmp(const char *a, const char *b, size_t limit) {
    COMPARE(a, b, limit, true);
    return real_strncasecmp()(a, b, limit);
}

RT_EXPORT char *strchr(const char *string, int c) {
    char *at = real_strchr()(string, c);
    RT_EMIT(READS(string, at ? up_to(string, at) : whole(string)));
    return at;
}

RT_EXPORT char *strchrnul(const char *string, int c) {
    char *at = real_strchrnul()(string, c);
    RT_EMIT(READS(string, up_to(string, at)));
    return at;
}

RT_EXPORT char *strrchr(const char *string, int c) {
    RT_EMIT(READS(string, whole(string)));
    return real_strrchr()(string, c);
}

/* Up to the end of the part where it was found. */
#define SEARCH(string, part, at)                                                                   \
    RT_EMIT(size_t length = whole(part); READS(part, length);                                      \
            READS(string, at ? (size_t)(at - string) + length - 1 : whole(string)))

RT_EXPORT char *strstr(const char *string, const char *part) {
    char *at = real_strstr()(string, part);
    SEARCH(string, part, at);
    return at;
}

RT_EXPORT char *strcasestr(const char *string, const char *part) {
    char *at = real_strcasestr()(string, part);
    SEARCH(string, part, at);
    return at;
}

RT_EXPORT size_t strspn(const char *string, const char *set) {
    size_t length = real_strspn()(string, set);
    RT_EMIT(READS(string, length + 1), READS(set, whole(set)));
    return length;
}

RT_EXPORT size_t strcspn(const char *string, const char *set) {
    size_t length = real_strcspn()(string, set);
    RT_EMIT(READS(string, length + 1), READS(set, whole(set)));
    return length;
}

RT_EXPORT char *strpbrk(const char *string, const char *set) {
    char *at = real_strpbrk()(string, set);
    RT_EMIT(READS(string, at ? up_to(string, at) : whole(string)), READS(set, whole(set)));
    return at;
}

/* The copy is in memory that malloc gave, which is ours too. */
#define DUPLICATE(string, size, call)                                                              \
    size_t bytes = size;                                                                           \
    RT_EMIT(READS(string, bytes));                                                                 \
    rt_allocation_caller = RT_CALLER;                                                              \
    char *copy = call;                                                                             \
    rt_allocation_caller = 0;                                                                      \
    if (copy)                                                                                      \
        RT_EMIT(WRITES(copy, whole(copy)));                                                        \
    return copy

RT_EXPORT char *strdup(const char *string) {
    DUPLICATE(string, whole(string), real_strdup()(string));
}

RT_EXPORT char *strndup(const char *string, size_t limit) {
    DUPLICATE(string, whole_within(string, limit), real_strndup()(string, limit));
}

/* Old programs call it so. */
RT_EXPORT char *__strdup(const char *string);
RT_EXPORT char *__strdup(const char *string) {
    DUPLICATE(string, whole(string), real_strdup()(string));
}

/* ---- what compilers make of them ---- */

/* -D_FORTIFY_SOURCE: with the size of the target, which the real one checks. */
#define CHECKED(result, name, parameters, arguments, emit, ...)                                    \
    RT_REAL(result, name, __VA_ARGS__)                                                             \
    RT_EXPORT result name parameters;                                                              \
    RT_EXPORT result name parameters {                                                             \
        emit;                                                                                      \
        return real_##name() arguments;                                                            \
    }

CHECKED(void *, __memcpy_chk, (void *to, const void *from, size_t size, size_t room),
        (to, from, size, room), RT_EMIT(READS(from, size), WRITES(to, size)), void *, const void *,
        size_t, size_t)
CHECKED(void *, __mempcpy_chk, (void *to, const void *from, size_t size, size_t room),
        (to, from, size, room), RT_EMIT(READS(from, size), WRITES(to, size)), void *, const void *,
        size_t, size_t)
CHECKED(void *, __memmove_chk, (void *to, const void *from, size_t size, size_t room),
        (to, from, size, room), RT_EMIT(READS(from, size), WRITES(to, size)), void *, const void *,
        size_t, size_t)
CHECKED(void *, __memset_chk, (void *to, int byte, size_t size, size_t room),
        (to, byte, size, room), RT_EMIT(WRITES(to, size)), void *, int, size_t, size_t)
CHECKED(char *, __strcpy_chk, (char *to, const char *from, size_t room), (to, from, room),
        COPY_STRING(from, to, whole(from)), char *, const char *, size_t)
CHECKED(char *, __stpcpy_chk, (char *to, const char *from, size_t room), (to, from, room),
        COPY_STRING(from, to, whole(from)), char *, const char *, size_t)
CHECKED(char *, __strncpy_chk, (char *to, const char *from, size_t limit, size_t room),
        (to, from, limit, room), COPY_AND_FILL(from, to, limit), char *, const char *, size_t,
        size_t)
CHECKED(char *, __stpncpy_chk, (char *to, const char *from, size_t limit, size_t room),
        (to, from, limit, room), COPY_AND_FILL(from, to, limit), char *, const char *, size_t,
        size_t)
CHECKED(char *, __strcat_chk, (char *to, const char *from, size_t room), (to, from, room),
        APPEND(from, to, whole(from), whole(from)), char *, const char *, size_t)
CHECKED(char *, __strncat_chk, (char *to, const char *from, size_t limit, size_t room),
        (to, from, limit, room),
        APPEND(from, to, whole_within(from, limit), real_strnlen()(from, limit) + 1), char *,
        const char *, size_t, size_t)

/* Newer versions of clang, in programs under test. */
RT_EXPORT void *__tsan_memcpy(void *to, const void *from, size_t size);
RT_EXPORT void *__tsan_memcpy(void *to, const void *from, size_t size) {
    RT_EMIT(READS(from, size), WRITES(to, size));
    return real_memcpy()(to, from, size);
}

RT_EXPORT void *__tsan_memmove(void *to, const void *from, size_t size);
RT_EXPORT void *__tsan_memmove(void *to, const void *from, size_t size) {
    RT_EMIT(READS(from, size), WRITES(to, size));
    return real_memmove()(to, from, size);
}

RT_EXPORT void *__tsan_memset(void *to, int byte, size_t size);
RT_EXPORT void *__tsan_memset(void *to, int byte, size_t size) {
    RT_EMIT(WRITES(to, size));
    return real_memset()(to, byte, size);
}

/* ---- sorting ---- */

/* qsort moves elements about, unseen between the calls of the function that compares: for others,
 * it writes all of the array. */
typedef int compare(const void *, const void *);
typedef int compare_with(const void *, const void *, void *);

RT_REAL(void, qsort, void *, size_t, size_t, compare *)
RT_REAL(void, qsort_r, void *, size_t, size_t, compare_with *, void *)

static void sorts(const void *array, size_t size, uintptr_t caller) {
    RT_EMIT(rt_read_range((uintptr_t)array, size, caller);
            rt_write_range((uintptr_t)array, size, caller));
}

RT_EXPORT void qsort(void *array, size_t count, size_t size, compare *order) {
    if (count > 1)
        sorts(array, count * size, RT_CALLER);
    real_qsort()(array, count, size, order);
}

RT_EXPORT void qsort_r(void *array, size_t count, size_t size, compare_with *order, void *with) {
    if (count > 1)
        sorts(array, count * size, RT_CALLER);
    real_qsort_r()(array, count, size, order, with);
}
