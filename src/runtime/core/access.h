/* Accesses: the one entry, and the two ways behind it. */
#ifndef SERIATIM_RUNTIME_CORE_ACCESS_H
#define SERIATIM_RUNTIME_CORE_ACCESS_H

#include "runtime/core/shadow.h"

/* Accesses of any size, 0 included; between rt_enter and rt_leave. */
void rt_read_range(uintptr_t address, size_t size, uintptr_t caller);
void rt_write_range(uintptr_t address, size_t size, uintptr_t caller);

/* The slow parts of rt_access: for `bytes` (a bit for each) of a granule whose shadow words for
 * writes and reads are w and r, and for an access that is not in one granule. */
void rt_read_slow(uintptr_t address, uint32_t bytes, uintptr_t caller, uint64_t w, uint64_t r);
void rt_write_slow(uintptr_t address, uint32_t bytes, uintptr_t caller, uint64_t w, uint64_t r);
void rt_range_slow(uintptr_t address, size_t size, bool write, uintptr_t caller);

/* control/: accesses of a controlled run, not between rt_enter and rt_leave. The whole access, and
 * what comes before one of any size. */
void rt_access_in_turn(uintptr_t address, uint32_t bytes, bool write, uintptr_t caller);
void rt_range_in_turn(uintptr_t address, size_t size, bool write, uintptr_t caller);

/* Does a word say that the thread accessed all these bytes `since` (an epoch)? */
static inline bool rt_has_since(const struct rt_thread *t, uint64_t word, uint64_t since,
                                uint32_t bytes) {
    return ((word ^ t->me) & (RT_WHO | bytes)) == bytes && word >= since;
}

/* The same of a read of memory that several threads read. */
static inline bool rt_is_shared_since(struct rt_thread *t, uint64_t since, uintptr_t granule,
                                      uint64_t w, uint64_t r, uint32_t bytes) {
    if (rt_state_of(r) != RT_SHARED)
        return false;
    const struct rt_shared_read *read = rt_shared_read_of(t, granule);
    return rt_has_since(t, read->mine, since, bytes) && rt_was_shared_read(read, granule, w);
}

/* Has the thread made such an access `since` (an epoch), and no other thread a conflicting one
 * after that? */
static inline bool rt_is_repeated(struct rt_thread *t, uint64_t since, uintptr_t granule,
                                  uint64_t w, uint64_t r, uint32_t bytes, bool write) {
    if (rt_has_since(t, w, since, bytes) && (!write || !r || rt_is_mine(t, r)))
        return true;
    return !write &&
           (rt_has_since(t, r, since, bytes) || rt_is_shared_since(t, since, granule, w, r, bytes));
}

/* An access of at most 16 bytes: where the compiler's callbacks begin. Most accesses end here,
 * since their thread has made them before. So this is short, needs no memory of its own on the
 * stack, and leaves what several threads read to the slow parts. */
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
    uint64_t since = t->since;
    uint64_t w = atomic_load_explicit(&shadow->write, memory_order_acquire);
    bool written = rt_has_since(t, w, since, bytes);
    if (!write && written)
        return;
    uint64_t r = atomic_load_explicit(&shadow->read, memory_order_acquire);
    if (write ? written && (!r || rt_is_mine(t, r)) : rt_has_since(t, r, since, bytes))
        return;
    (write ? rt_write_slow : rt_read_slow)(address, bytes, caller, w, r);
}

/* ---- deferred/ ---- */

/* Adds an access of this thread, in its present epoch, to a shadow word and detail that are its own
 * or untouched. The detail keeps bytes of one earlier epoch. False when there would be two. */
bool rt_add_access(const struct rt_thread *t, uint64_t *word, uint64_t *detail, uint32_t bytes,
                   uintptr_t caller);

void rt_defer_read(uintptr_t address, uint32_t bytes, uintptr_t caller, uint64_t w, uint64_t r);
void rt_defer_write(uintptr_t address, uint32_t bytes, uintptr_t caller, uint64_t w, uint64_t r);
/* An access that is not in one granule, and short. False: rt_defer_range has to do it. */
bool rt_defer_short(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                    uintptr_t caller);
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
