/* Pages that are mapped and unmapped: what was there before is other memory. */
#define _GNU_SOURCE
#include "runtime/core/memory_events.h"
#include "runtime/intercept/interpose.h"

#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

RT_REAL(void *, mmap, void *, size_t, int, int, int, off_t)
RT_REAL(int, munmap, void *, size_t)
RT_REAL(void *, mremap, void *, size_t, size_t, int, ...)

/* The kernel refuses everything else: what does not begin with a page, and what no program can
 * have.
 */
static bool are_pages(const void *memory, size_t size) {
    const uintptr_t end = (uintptr_t)1 << 47, page = (uintptr_t)sysconf(_SC_PAGESIZE);
    return (uintptr_t)memory % page == 0 && size > 0 && (uintptr_t)memory < end &&
           size <= end - (uintptr_t)memory;
}

/* To the end of the last page. */
static void free_pages(void *memory, size_t size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (are_pages(memory, size))
        RT_EMIT(rt_free(memory, (size + page - 1) & -page));
}

/* What was mapped there before, if anything was, is gone. */
static void *map(void *hint, size_t size, int protection, int flags, int fd, off_t offset,
                 uintptr_t caller) {
    void *memory = real_mmap()(hint, size, protection, flags, fd, offset);
    if (memory != MAP_FAILED && rt_enter()) {
        if (flags & MAP_FIXED)
            rt_free(memory, size);
        rt_allocate(memory, size, caller);
        rt_leave();
    }
    return memory;
}

RT_EXPORT void *mmap(void *hint, size_t size, int protection, int flags, int fd, off_t offset) {
    return map(hint, size, protection, flags, fd, offset, RT_CALLER);
}

_Static_assert(sizeof(off_t) == sizeof(off64_t), "mmap and mmap64 are one");

RT_EXPORT void *mmap64(void *hint, size_t size, int protection, int flags, int fd, off64_t offset) {
    return map(hint, size, protection, flags, fd, offset, RT_CALLER);
}

/* The event comes before, since another thread can get the pages as soon as they are gone. If the
 * kernel then refuses, which it does for lack of memory only, an edge may be missing. */
RT_EXPORT int munmap(void *memory, size_t size) {
    free_pages(memory, size);
    return real_munmap()(memory, size);
}

/* Pages that may move count as new ones. What happened to their content before is forgotten, so
 * edges may be missing; emitting a copy, as for realloc, would touch every page of a mapping that
 * may be large and mostly untouched. Where they may not move, what is behind the new end is gone.
 */
RT_EXPORT void *mremap(void *memory, size_t old, size_t size, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    void *target = flags & MREMAP_FIXED ? va_arg(rest, void *) : NULL;
    va_end(rest);
    if (flags & MREMAP_MAYMOVE)
        free_pages(memory, old);
    else if (size < old)
        free_pages((char *)memory + size, old - size);
    void *now = real_mremap()(memory, old, size, flags, target);
    if (now != MAP_FAILED && rt_enter()) {
        if (flags & MREMAP_FIXED)
            rt_free(now, size);
        if (flags & MREMAP_MAYMOVE)
            rt_allocate(now, size, RT_CALLER);
        else if (size > old)
            rt_allocate((char *)now + old, size - old, RT_CALLER);
        rt_leave();
    }
    return now;
}
