/* Reads of memory that several threads read: each thread has a table of its own. */
#ifndef SERIATIM_RUNTIME_CORE_SHARED_READS_H
#define SERIATIM_RUNTIME_CORE_SHARED_READS_H

#include "runtime/core/shadow.h"

/* Where a granule is in the table. Neighbours are neighbours, but the heaps of threads, which all
 * start at multiples of 64 MB, do not fall on each other. */
static inline size_t rt_table_index(uintptr_t granule) {
    return ((granule >> 3) + (granule >> 26) * 0x9E37) & (RT_SHARED_READS - 1);
}
static inline struct rt_shared_read *rt_shared_read_of(struct rt_thread *t, uintptr_t granule) {
    return &t->shared[rt_table_index(granule)];
}

/* The granule, and the shadow word for writes when it was read, in 64 bits: one other write in a
 * million looks the same. */
static inline uint64_t rt_read_key(uintptr_t granule, uint64_t write) {
    uint64_t hash = (write & ~(uint64_t)(RT_EMITTED | RT_KNOWN)) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint64_t)(granule >> 3) << RT_KEY_HASH_BITS | hash >> (64 - RT_KEY_HASH_BITS);
}
static inline uintptr_t rt_granule_of(uint64_t key) {
    return key >> RT_KEY_HASH_BITS << 3;
}
static inline bool rt_was_shared_read(const struct rt_shared_read *read, uintptr_t granule,
                                      uint64_t write) {
    return read->key == rt_read_key(granule, write);
}
static inline void rt_store_shared_read(struct rt_thread *t, uintptr_t granule, uint64_t write,
                                        uint64_t mine, uintptr_t caller) {
    size_t index = rt_table_index(granule), page = index / RT_READS_A_PAGE;
    t->shared_pages[page / 64] |= UINT64_C(1) << page % 64;
    t->shared[index] = (struct rt_shared_read){rt_read_key(granule, write), mine};
    t->shared_callers[index] = (uint32_t)caller;
}

#endif
