#define _GNU_SOURCE /* mremap */
#include "base/memory.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

static _Thread_local jmp_buf *way_out;

_Noreturn void st_out_of_memory(void) {
    if (way_out)
        longjmp(*way_out, 1);
    static const char message[] = "seriatim: out of memory\n";
    ssize_t ignored = write(STDERR_FILENO, message, sizeof message - 1);
    (void)ignored;
    _exit(2);
}

/* Room in the address space that the work cannot take, so that something is left when it fails: to
 * stop a thread that reads ahead, for one, the C library loads another library. */
enum { RESERVE = 8 * 1024 * 1024 };

bool st_try(void (*work)(void *context), void *context) {
    jmp_buf here, *outer = way_out;
    void *reserve =
        mmap(NULL, RESERVE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    bool done = setjmp(here) == 0;
    if (done) {
        way_out = &here;
        work(context);
    }
    way_out = outer;
    if (reserve != MAP_FAILED)
        munmap(reserve, RESERVE);
    return done;
}

void *st_alloc(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory)
        st_out_of_memory();
    return memory;
}

enum { LARGE_PAGE = 2 * 1024 * 1024 };

/* Small tables come from the heap, large ones straight from the system, which gives zeroed pages
 * when they are first touched. */
static bool is_large(size_t bytes) {
    return bytes >= 2 * LARGE_PAGE;
}

/* Pages from the system at a multiple of their size, without which they would be small ones. */
static void *map_pages(size_t bytes) {
    char *start = mmap(NULL, bytes + LARGE_PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        st_out_of_memory();
    size_t before = -(uintptr_t)start % LARGE_PAGE;
    if (before)
        munmap(start, before);
    munmap(start + before + bytes, LARGE_PAGE - before);
    madvise(start + before, bytes, MADV_HUGEPAGE); /* a hint: nothing depends on it */
    return start + before;
}

static size_t whole_pages(size_t bytes) {
    return (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
}

void *st_alloc_table(size_t count, size_t size) {
    if (size && count > (SIZE_MAX - LARGE_PAGE) / size)
        st_out_of_memory();
    size_t bytes = count * size;
    void *table = NULL;
    if (!is_large(bytes)) {
        if (posix_memalign(&table, 64, bytes ? bytes : 1))
            st_out_of_memory();
        return memset(table, 0, bytes);
    }
    return map_pages(whole_pages(bytes));
}

void st_free_table(void *table, size_t count, size_t size) {
    if (table && is_large(count * size))
        munmap(table, whole_pages(count * size));
    else
        free(table);
}

/* Pages of a large table move without being copied or cleared again. */
void *st_grow_table(void *table, size_t *capacity, size_t need, size_t size) {
    size_t old = *capacity, grown = old + old / 2;
    grown = grown < need ? need : grown;
    if (is_large(old * size)) {
        if (grown > (SIZE_MAX - LARGE_PAGE) / size)
            st_out_of_memory();
        table = mremap(table, whole_pages(old * size), whole_pages(grown * size),
                       MREMAP_MAYMOVE | MREMAP_FIXED, map_pages(whole_pages(grown * size)));
        if (table == MAP_FAILED)
            st_out_of_memory();
    } else {
        void *larger = st_alloc_table(grown, size);
        if (old)
            memcpy(larger, table, old * size);
        free(table);
        table = larger;
    }
    *capacity = grown;
    return table;
}

void *st_realloc(void *memory, size_t count, size_t size) {
    if (size && count > SIZE_MAX / size)
        st_out_of_memory();
    size_t bytes = count * size;
    memory = realloc(memory, bytes ? bytes : 1);
    if (!memory)
        st_out_of_memory();
    return memory;
}

void st_return_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
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

size_t st_memory_in_use(void) {
    size_t size = 0, resident = 0, shared = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    if (fscanf(file, "%zu %zu %zu", &size, &resident, &shared) != 3 || shared > resident)
        resident = shared = 0;
    fclose(file);
    return (resident - shared) * (size_t)sysconf(_SC_PAGESIZE);
}
