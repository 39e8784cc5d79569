/* Accesses: the one entry, and the two ways behind it. */
#ifndef SERIATIM_RUNTIME_CORE_ACCESS_H
#define SERIATIM_RUNTIME_CORE_ACCESS_H

#include "runtime/core/shadow.h"
#include "runtime/core/shared_reads.h"

/* Any size; 0 is fine. */
void rt_read_range(uintptr_t address, size_t size, uintptr_t caller);
void rt_write_range(uintptr_t address, size_t size, uintptr_t caller);

/* The slow parts: of an access to `bytes` (bit by offset) of a granule whose cell said that, and of
 * any other access. */
void rt_read_slow(uintptr_t address, uint32_t bytes, uintptr_t caller, uint64_t w, uint64_t r);
void rt_write_slow(uintptr_t address, uint32_t bytes, uintptr_t caller, uint64_t w, uint64_t r);
void rt_range_slow(uintptr_t address, size_t size, bool write, uintptr_t caller);

/* Has the thread made such an access in its epoch, and nobody one since that it conflicts with? */
static inline __attribute__((always_inline)) bool rt_was_made(struct rt_thread *t,
                                                              uintptr_t granule, uint64_t w,
                                                              uint64_t r, uint32_t bytes,
                                                              bool write) {
    if (rt_is_of(w, t->owner) && !(bytes & ~w) && (!write || !r || rt_is_mine(t, r)))
        return true;
    if (write)
        return false;
    if (rt_is_of(r, t->owner) && !(bytes & ~r))
        return true;
    if (rt_state(r) != RT_SHARED)
        return false;
    const struct rt_shared_read *read = rt_shared_read(t, granule);
    return rt_is_of(read->mine, t->owner) && !(bytes & ~read->mine) &&
           rt_was_shared_read(read, granule, w);
}

/* An access of at most 8 bytes. */
static inline __attribute__((always_inline)) void rt_access(uintptr_t address, size_t size,
                                                            bool write, uintptr_t caller) {
    struct rt_thread *t = rt_self;
    if (__builtin_expect(!t, 0))
        return;
    unsigned offset = address & 7;
    if (__builtin_expect(offset + size > 8, 0)) {
        rt_range_slow(address, size, write, caller);
        return;
    }
    uint32_t bytes = ((1u << size) - 1) << offset;
    const struct rt_cell *cell = rt_cell(address);
    uint64_t w = atomic_load_explicit(&cell->write, memory_order_acquire);
    uint64_t r = atomic_load_explicit(&cell->read, memory_order_acquire);
    if (!rt_was_made(t, address - offset, w, r, bytes, write))
        (write ? rt_write_slow : rt_read_slow)(address, bytes, caller, w, r);
}

/* ---- access_deferred.c and access_eager.c ---- */

void rt_keep_range(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                   uintptr_t caller);

void rt_tell_access(struct rt_thread *t, uintptr_t address, size_t size, uint32_t bytes, bool write,
                    uintptr_t caller);
void rt_tell_range(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                   uintptr_t caller);

#endif
