#define _GNU_SOURCE
#include "runtime/core/memory_events.h"
#include "runtime/core/shadow.h"
#include "runtime/core/stream_writer.h"

#include <sys/mman.h>

enum { LARGE = 256 * 1024 };

/* Does the watcher know anything of this memory? */
static bool is_known(uintptr_t granule) {
    uint64_t write = atomic_load_explicit(&rt_cell(granule)->write, memory_order_relaxed);
    uint64_t read = atomic_load_explicit(&rt_cell(granule)->read, memory_order_relaxed);
    if (!rt_late)
        return write || read;
    return write & (RT_KNOWN | RT_MIXED) || rt_state(write) == RT_SHARED ||
           rt_state(read) == RT_SHARED;
}

static bool was_known(uintptr_t address, size_t size) {
    for (uintptr_t g = address & ~(uintptr_t)7; g < address + size; g += 8)
        if (is_known(g))
            return true;
    return false;
}

static void tell_memory(struct rt_thread *t, enum st_stream_op op, uintptr_t address, size_t size,
                        uintptr_t caller) {
    rt_put(t, st_stream_what(op, 0, address), caller);
    rt_put(t, st_stream_what(ST_STREAM_LENGTH, 0, 0), size);
    rt_publish(t);
}

/* Of large blocks whole pages of cells are given back, which says nothing about when; the number at
 * their next allocation does. */
void rt_allocate(const void *memory, size_t size, uintptr_t caller) {
    struct rt_thread *t = rt_self;
    if (size >= LARGE)
        rt_draw(t);
    tell_memory(t, ST_STREAM_ALLOCATE, (uintptr_t)memory, size, caller);
}

/* What comes happens after that number; 0: nothing was told that it could be mistaken for. */
static void forget_cells(uintptr_t address, size_t size, uint64_t number) {
    uintptr_t end = address + size, page = 4096;
    uintptr_t first = (address + page - 1) & -page, last = end & -page;
    if (size >= LARGE && last > first) {
        madvise((void *)rt_cell(first), (last - first) * 2, MADV_DONTNEED);
        madvise((void *)rt_more(first), (last - first) * 2, MADV_DONTNEED);
        forget_cells(address, first - address, number);
        forget_cells(last, end - last, number);
        return;
    }
    for (uintptr_t g = address & ~(uintptr_t)7; g < end; g += 8) {
        uint64_t write = atomic_load_explicit(&rt_cell(g)->write, memory_order_relaxed);
        uint64_t read = atomic_load_explicit(&rt_cell(g)->read, memory_order_relaxed);
        bool freed = rt_state(write) == RT_FREED && !number; /* stays after the older one */
        if (read)
            rt_set_read(g, 0, 0);
        if (write && !freed)
            rt_set_write(g, number ? rt_with_number(RT_FREED, number) : 0, 0);
    }
}

void rt_free(const void *memory, size_t size) {
    uintptr_t address = (uintptr_t)memory;
    struct rt_thread *t = rt_self;
    if (size == 0)
        return;
    uint64_t number = 0;
    if (size >= LARGE || was_known(address, size)) {
        number = rt_draw(t);
        tell_memory(t, ST_STREAM_FREE, address, size, 0);
    }
    forget_cells(address, size, number);
}
