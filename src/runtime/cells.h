/* A cell for each 8 bytes of the program's memory: who touched them last.
 *
 * It serves two purposes. An access that its thread has told before, with nothing in between that
 * could make a difference, is not told again: most accesses end here, with one comparison. And an
 * access to memory that another thread touched last gets a number, so that the order of all
 * conflicts is known, of races too.
 *
 * A cell is 0 (nobody) or has a state in bits 16 and 17:
 * - OWN: one thread. Bits 0 to 7 are the bytes that it wrote in its epoch, 8 to 15 those that it
 *   read, 18 to 31 its slot, 32 to 63 the epoch. A new epoch begins with every function or block
 *   that is entered and with every dependence on another thread: knowledge that a later access has
 *   and this one lacks.
 * - SHARED: read by several since number n (bits 18 to 63), or accessed atomically. Bit 0: it is
 *   the guard of a static object, whose loads receive what its initialiser sent.
 * - FREED: the memory was freed with number n. What comes is other memory.
 *
 * Invariant: before a cell says who touched its memory, the record of that access is visible. So
 * whoever sees the cell and draws or observes a number comes after it in the watcher's order too.
 *
 * Threads that race on a cell may overwrite each other's entry; then an access may be told twice,
 * or the order of two accesses that race in the program is not known better than the program knows
 * it. */
#ifndef SERIATIM_RUNTIME_CELLS_H
#define SERIATIM_RUNTIME_CELLS_H

#include "runtime/thread.h"

enum rt_cell_state { RT_CELL_NOBODY, RT_CELL_OWN, RT_CELL_SHARED, RT_CELL_FREED };

/* 44 bits of an address tell programs, heaps and libraries of x86-64 Linux apart, and 16 TiB of
 * address space can be had without any memory behind it. */
enum { RT_ADDRESS_BITS = 44 };
extern char *rt_cells;

static inline _Atomic uint64_t *rt_cell(uintptr_t address) {
    uintptr_t mask = ((uintptr_t)1 << RT_ADDRESS_BITS) - 8;
    return (_Atomic uint64_t *)(void *)(rt_cells + (address & mask));
}

static inline enum rt_cell_state rt_cell_state(uint64_t cell) {
    return (enum rt_cell_state)(cell >> 16 & 3);
}
static inline uint64_t rt_cell_number(uint64_t cell) {
    return cell >> 18;
}
static inline uint64_t rt_cell_with_number(enum rt_cell_state state, uint64_t number) {
    return number << 18 | (uint64_t)state << 16;
}
/* thread->owner has epoch, slot and state in place; the lower 16 bits are 0. */
static inline bool rt_cell_is_of(uint64_t cell, uint64_t owner) {
    return ((cell ^ owner) & ~UINT64_C(0xffff)) == 0;
}

enum { RT_CELL_GUARD = 1 };

/* The slow parts, between rt_enter and rt_leave. `bytes`: bit by offset in the granule. */
void rt_touch(struct rt_thread *t, uintptr_t address, size_t size, uint32_t bytes, bool write,
              uintptr_t caller);
void rt_touch_range(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                    uintptr_t caller);

/* The same, from anywhere; `bytes` 0: a range. */
void rt_access_slow(uintptr_t address, size_t size, uint32_t bytes, bool write, uintptr_t caller);

static inline bool rt_was_shared_read(const struct rt_thread *t, uintptr_t granule, uint64_t cell,
                                      uint32_t bytes) {
    const struct rt_shared_read *read = &t->shared[granule >> 3 & (RT_SHARED_READS - 1)];
    return read->granule == granule && read->cell == cell && rt_cell_is_of(read->owner, t->owner) &&
           (bytes & ~read->owner) == 0;
}

/* An access of at most 8 bytes. */
static inline __attribute__((always_inline)) void rt_access(uintptr_t address, size_t size,
                                                            bool write, uintptr_t caller) {
    struct rt_thread *t = rt_self;
    if (__builtin_expect(!t, 0))
        return;
    unsigned offset = address & 7;
    if (__builtin_expect(offset + size > 8, 0)) {
        rt_access_slow(address, size, 0, write, caller);
        return;
    }
    uint32_t bytes = ((1u << size) - 1) << offset;
    uint64_t cell = atomic_load_explicit(rt_cell(address), memory_order_acquire);
    uint32_t told = write ? cell & 0xff : (cell | cell >> 8) & 0xff;
    if (__builtin_expect(rt_cell_is_of(cell, t->owner) && (bytes & ~told) == 0, 1))
        return;
    if (!write && rt_cell_state(cell) == RT_CELL_SHARED &&
        rt_was_shared_read(t, address - offset, cell, bytes))
        return;
    rt_access_slow(address, size, bytes, write, caller);
}

#endif
