/* Accesses that are not settled by one look at a cell: what late.c and at_once.c have in common. */
#ifndef SERIATIM_RUNTIME_CORE_ACCESS_H
#define SERIATIM_RUNTIME_CORE_ACCESS_H

#include "runtime/core/shadow.h"

/* What an access has to tell. */
struct rt_need {
    bool tell;        /* the access itself */
    bool number;      /* something needs one */
    uint64_t observe; /* it happens after this one */
};

static inline bool rt_is_foreign(const struct rt_thread *t, uint64_t word) {
    return rt_state(word) == RT_OWN && !rt_is_mine(t, word);
}

/* Is what t does now in order with what the word says, without a number? */
static inline bool rt_comes_after(const struct rt_thread *t, uint64_t word) {
    return rt_is_ordered(t, rt_slot_of(word), rt_epoch_of(word));
}

/* The bytes of a granule that lie in the range. */
static inline uint32_t rt_bytes_in(uintptr_t granule, uintptr_t address, size_t size) {
    uint32_t bytes = RT_BYTES;
    if (granule < address)
        bytes &= (uint32_t)RT_BYTES << (address - granule);
    if (granule + 8 > address + size)
        bytes &= (uint32_t)RT_BYTES >> (granule + 8 - address - size);
    return bytes;
}

void rt_announce(struct rt_thread *t, const struct rt_need *need);
void rt_put_access(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                   uintptr_t caller);

/* The thread has read the granule, which several threads do, in its present epoch. */
void rt_keep_in_table(struct rt_thread *t, uintptr_t granule, uint64_t write, uint32_t bytes,
                      uintptr_t caller, bool told);

/* ---- late.c ---- */

void rt_keep_range(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                   uintptr_t caller);

/* ---- at_once.c ---- */

void rt_tell_access(struct rt_thread *t, uintptr_t address, size_t size, uint32_t bytes, bool write,
                    uintptr_t caller);
void rt_tell_range(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                   uintptr_t caller);

#endif
