#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Noreturn void out_of_memory(void) {
    static const char message[] = "seriatim: out of memory\n";
    ssize_t ignored = write(STDERR_FILENO, message, sizeof message - 1);
    (void)ignored;
    _exit(2);
}

void *st_alloc(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory)
        out_of_memory();
    return memory;
}

void *st_alloc_aligned(size_t alignment, size_t count, size_t size) {
    void *memory = NULL;
    if ((size && count > SIZE_MAX / size) ||
        posix_memalign(&memory, alignment, count * size))
        out_of_memory();
    return memset(memory, 0, count * size);
}

void *st_realloc(void *memory, size_t count, size_t size) {
    if (size && count > SIZE_MAX / size)
        out_of_memory();
    size_t bytes = count * size;
    memory = realloc(memory, bytes ? bytes : 1);
    if (!memory)
        out_of_memory();
    return memory;
}

char *st_strdup(const char *text) {
    size_t size = strlen(text) + 1;
    return memcpy(st_alloc(size, 1), text, size);
}

void st_grow_array(void **array, size_t *capacity, size_t need, size_t size) {
    size_t old = *capacity;
    if (need <= old)
        return;
    size_t grown = old + old / 2;
    if (grown < need)
        grown = need;
    if (grown < 8)
        grown = 8;
    *array = st_realloc(*array, grown, size);
    memset((char *)*array + old * size, 0, (grown - old) * size);
    *capacity = grown;
}
