/* A runtime library that tells what it was called for, in the file that STUB_LOG names: a line for
 * each function that was entered, once, as an offset in its module, and counts of the rest. Tests
 * of `seriatim cc` link with it to see what the compiler was made to emit. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ENTRIES = 1000 };
static void *_Atomic entered[MOST_ENTRIES];
static atomic_long reads, writes, copies;

__attribute__((destructor)) static void write_log(void) {
    const char *path = getenv("STUB_LOG");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    for (int i = 0; i < MOST_ENTRIES && entered[i]; i++) {
        Dl_info module;
        if (dladdr(entered[i], &module))
            fprintf(file, "entered %lx %s\n", (char *)entered[i] - (char *)module.dli_fbase,
                    module.dli_fname);
    }
    fprintf(file, "reads %ld\nwrites %ld\ncopies %ld\n", reads, writes, copies);
    fclose(file);
}

void __tsan_init(void) {
}

void __tsan_func_entry(void *caller) {
    (void)caller;
    void *here = __builtin_return_address(0), *empty = NULL;
    for (int i = 0; i < MOST_ENTRIES && entered[i] != here; i++, empty = NULL)
        if (atomic_compare_exchange_strong(&entered[i], &empty, here))
            return;
}

void __tsan_func_exit(void) {
}

#define ACCESS(size)                                                                               \
    void __tsan_read##size(void *at) {                                                             \
        (void)at;                                                                                  \
        reads++;                                                                                   \
    }                                                                                              \
    void __tsan_write##size(void *at) {                                                            \
        (void)at;                                                                                  \
        writes++;                                                                                  \
    }                                                                                              \
    void __tsan_unaligned_read##size(void *at) {                                                   \
        (void)at;                                                                                  \
        reads++;                                                                                   \
    }                                                                                              \
    void __tsan_unaligned_write##size(void *at) {                                                  \
        (void)at;                                                                                  \
        writes++;                                                                                  \
    }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

void __tsan_read_range(void *at, long size) {
    (void)at, (void)size;
    reads++;
}

void __tsan_write_range(void *at, long size) {
    (void)at, (void)size;
    writes++;
}

void __tsan_vptr_update(void **at, void *value) {
    (void)at, (void)value;
}

void __tsan_vptr_read(void **at) {
    (void)at;
}

/* Calls of the C library are seen because ours comes first. */
static void *copy(void *to, const void *from, size_t size) {
    volatile char *out = to;
    const volatile char *in = from;
    while (size--)
        *out++ = *in++;
    copies++;
    return to;
}

void *memcpy(void *to, const void *from, size_t size) {
    return copy(to, from, size);
}

void *__tsan_memcpy(void *to, const void *from, size_t size) {
    return copy(to, from, size);
}
