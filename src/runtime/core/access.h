/* Accesses: the one entry, and the two ways behind it. */
#ifndef SERIATIM_RUNTIME_CORE_ACCESS_H
#define SERIATIM_RUNTIME_CORE_ACCESS_H

#include "runtime/core/shadow.h"

/* Accesses of any size, 0 included; between rt_enter and rt_leave. */
void rt_read_range(uintptr_t address, size_t size, uintptr_t caller);
void rt_write_range(uintptr_t address, size_t size, uintptr_t caller);

/* The slow parts of rt_access: for `bytes` (a bit for each) of a granule with these shadow words,
 * and for an access that is not in one granule. */
void rt_read_slow(uintptr_t address, uint32_t bytes, uintptr_t caller, uint64_t w, uint64_t r);
void rt_write_slow(uintptr_t address, uint32_t bytes, uintptr_t caller, uint64_t w, uint64_t r);
void rt_range_slow(uintptr_t address, size_t size, bool write, uintptr_t caller);

/* control/: accesses of a controlled run, not between rt_enter and rt_leave. The whole access, and
 * what comes before one of any size. */
void rt_access_in_turn(uintptr_t address, uint32_t bytes, bool write, uintptr_t caller);
void rt_range_in_turn(uintptr_t address, size_t size, bool write, uintptr_t caller);

/* Has the thread made such an access `since` (an epoch), and no other thread a conflicting one
 * after that? */
static inline __attribute__((always_inline)) bool rt_is_repeated(struct rt_thread *t,
                                                                 uint64_t since, uintptr_t granule,
                                                                 uint64_t w, uint64_t r,
                                                                 uint32_t bytes, bool write) {
    if (rt_is_since(t, w, since) && !(bytes & ~w) && (!write || !r || rt_is_mine(t, r)))
        return true;
    if (write)
        return false;
    if (rt_is_since(t, r, since) && !(bytes & ~r))
        return true;
    if (rt_state_of(r) != RT_SHARED)
        return false;
    const struct rt_shared_read *read = rt_shared_read_of(t, granule);
    return rt_is_since(t, read->mine, since) && !(bytes & ~read->mine) &&
           rt_was_shared_read(read, granule, w);
}

/* An access of at most 16 bytes: where the compiler's callbacks begin. Most accesses end here,
 * since their thread has made them before. */
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
    const struct rt_shadow *shadow = rt_shadow_of(address);
    uint64_t w = atomic_load_explicit(&shadow->write, memory_order_acquire);
    uint64_t r = atomic_load_explicit(&shadow->read, memory_order_acquire);
    if (!rt_is_repeated(t, t->since, address - offset, w, r, bytes, write))
        (write ? rt_write_slow : rt_read_slow)(address, bytes, caller, w, r);
}

/* ---- access_deferred.c ---- */

void rt_defer_read(uintptr_t address, uint32_t bytes, uintptr_t caller, uint64_t w, uint64_t r);
void rt_defer_write(uintptr_t address, uint32_t bytes, uintptr_t caller, uint64_t w, uint64_t r);
void rt_defer_range(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                    uintptr_t caller);

/* ---- access_eager.c ---- */

void rt_emit_now(uintptr_t address, uint32_t bytes, bool write, uintptr_t caller);
void rt_emit_range_now(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                       uintptr_t caller);

/* How many bytes from `address` on these bytes of its granule are. */
static inline size_t rt_size_of(uintptr_t address, uint32_t bytes) {
    return 32 - (size_t)__builtin_clz(bytes) - (address & 7);
}

#endif
