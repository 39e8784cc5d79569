/* Which bytes do calls of memcpy and its like read and write, as far as a runtime library sees? It
 * is linked with a table of calls that test_copies.py writes and compiles as a program under test,
 * and plays the runtime library: the compiler's callbacks and the functions of the C library mark
 * bytes. Each call is made at all alignments. Prints what was not marked as the table says. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct call {
    const char *name;
    void (*make)(char *to, const char *from);
    int written, read, read_of_target; /* so many bytes, from the start on */
};
extern const struct call calls[];
extern const int call_count;

enum { ROOM = 96, ALIGNMENTS = 8 };
static _Alignas(16) char target[ROOM], source[ROOM];
static char written[ROOM], read_of_source[ROOM], read_of_target[ROOM], elsewhere[1];

/* Where to mark a byte. What is neither in the target nor in the source is of no interest. */
static char *mark_of(const char *byte, int write) {
    if (byte >= target && byte < target + ROOM)
        return (write ? written : read_of_target) + (byte - target);
    if (byte >= source && byte < source + ROOM && !write)
        return read_of_source + (byte - source);
    return elsewhere;
}

static void mark(const void *at, size_t size, int write) {
    for (size_t i = 0; i < size; i++)
        *mark_of((const char *)at + i, write) = 1;
}

/* ---- the compiler's callbacks ---- */

#define ACCESS(size)                                                                               \
    void __tsan_read##size(void *at) {                                                             \
        mark(at, size, 0);                                                                         \
    }                                                                                              \
    void __tsan_write##size(void *at) {                                                            \
        mark(at, size, 1);                                                                         \
    }                                                                                              \
    void __tsan_unaligned_read##size(void *at) {                                                   \
        mark(at, size, 0);                                                                         \
    }                                                                                              \
    void __tsan_unaligned_write##size(void *at) {                                                  \
        mark(at, size, 1);                                                                         \
    }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
void __tsan_read_range(void *at, long size) {
    mark(at, (size_t)size, 0);
}
void __tsan_write_range(void *at, long size) {
    mark(at, (size_t)size, 1);
}
void __tsan_init(void) {
}
void __tsan_func_entry(void *caller) {
    (void)caller;
}
void __tsan_func_exit(void) {
}

/* ---- the functions, as slowly as can be ---- */

static size_t length_of(const char *text, size_t most) {
    size_t length = 0;
    while (length < most && text[length])
        length++;
    return length;
}

void *memmove(void *to, const void *from, size_t size) {
    char copy[ROOM];
    mark(from, size, 0);
    mark(to, size, 1);
    for (size_t i = 0; i < size; i++)
        copy[i] = ((const char *)from)[i];
    for (size_t i = 0; i < size; i++)
        ((char *)to)[i] = copy[i];
    return to;
}
void *memcpy(void *to, const void *from, size_t size) {
    return memmove(to, from, size);
}
void *mempcpy(void *to, const void *from, size_t size) {
    return (char *)memmove(to, from, size) + size;
}
void *memset(void *to, int byte, size_t size) {
    mark(to, size, 1);
    for (size_t i = 0; i < size; i++)
        ((char *)to)[i] = (char)byte;
    return to;
}
void bzero(void *to, size_t size) {
    memset(to, 0, size);
}
void bcopy(const void *from, void *to, size_t size) {
    memmove(to, from, size);
}
char *stpncpy(char *to, const char *from, size_t size) {
    size_t length = length_of(from, size);
    memmove(to, from, length);
    memset(to + length, 0, size - length);
    return to + length;
}
char *strncpy(char *to, const char *from, size_t size) {
    stpncpy(to, from, size);
    return to;
}
char *stpcpy(char *to, const char *from) {
    size_t length = length_of(from, SIZE_MAX);
    memmove(to, from, length + 1);
    return to + length;
}
char *strcpy(char *to, const char *from) {
    stpcpy(to, from);
    return to;
}
char *strcat(char *to, const char *from) {
    size_t length = length_of(to, SIZE_MAX);
    mark(to, length + 1, 0);
    stpcpy(to + length, from);
    return to;
}
/* What is compared here is the same. */
int memcmp(const void *a, const void *b, size_t size) {
    mark(a, size, 0);
    mark(b, size, 0);
    return 0;
}
int bcmp(const void *a, const void *b, size_t size) {
    return memcmp(a, b, size);
}
int strncmp(const char *a, const char *b, size_t size) {
    size_t length = length_of(a, size);
    return memcmp(a, b, length < size ? length + 1 : size);
}
int strcmp(const char *a, const char *b) {
    return strncmp(a, b, SIZE_MAX);
}
int sprintf(char *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsprintf(to, format, arguments);
    va_end(arguments);
    mark(to, (size_t)length + 1, 1);
    return length;
}

/* ---- and with -D_FORTIFY_SOURCE ---- */

#define CHECKED(result, name, parameters, ...)                                                     \
    result __##name##_chk parameters;                                                              \
    result __##name##_chk parameters {                                                             \
        (void)room;                                                                                \
        return name(__VA_ARGS__);                                                                  \
    }
CHECKED(void *, memcpy, (void *to, const void *from, size_t size, size_t room), to, from, size)
CHECKED(void *, memmove, (void *to, const void *from, size_t size, size_t room), to, from, size)
CHECKED(void *, mempcpy, (void *to, const void *from, size_t size, size_t room), to, from, size)
CHECKED(void *, memset, (void *to, int byte, size_t size, size_t room), to, byte, size)
CHECKED(char *, strncpy, (char *to, const char *from, size_t size, size_t room), to, from, size)
CHECKED(char *, stpncpy, (char *to, const char *from, size_t size, size_t room), to, from, size)
CHECKED(char *, strcpy, (char *to, const char *from, size_t room), to, from)
CHECKED(char *, stpcpy, (char *to, const char *from, size_t room), to, from)
CHECKED(char *, strcat, (char *to, const char *from, size_t room), to, from)

/* ---- the test ---- */

static int failures;

static void compare(const struct call *call, int offset, const char *what, const char *marks,
                    int size) {
    for (int i = 0; i < ROOM; i++)
        if (marks[i] != (i >= offset && i < offset + size)) {
            printf("%s: byte %d from its start was %s%s\n", call->name, i - offset,
                   marks[i] ? "" : "not ", what);
            failures++;
            return;
        }
}

/* The start of both is the text "ab". */
static void prepare(int to, int from) {
    for (int i = 0; i < ROOM; i++) {
        target[i] = source[i] = 0;
        written[i] = read_of_source[i] = read_of_target[i] = 0;
    }
    target[to] = source[from] = 'a';
    target[to + 1] = source[from + 1] = 'b';
}

static void check(const struct call *call) {
    int before = failures;
    for (int to = 0; to < ALIGNMENTS; to++)
        for (int from = 0; from < ALIGNMENTS && failures == before; from++) {
            prepare(to, from);
            call->make(target + to, source + from);
            compare(call, to, "written", written, call->written);
            compare(call, from, "read", read_of_source, call->read);
            compare(call, to, "read in the target", read_of_target, call->read_of_target);
        }
}

int main(void) {
    for (int i = 0; i < call_count; i++)
        check(&calls[i]);
    if (!failures)
        printf("%d calls as they should be\n", call_count);
    return failures != 0;
}
