/* The shadow words of one thread: the bytes of a granule that it accessed in its present epoch, and
 * in one earlier epoch, which the detail has. */
#ifndef SERIATIM_RUNTIME_DEFERRED_OWN_WORDS_H
#define SERIATIM_RUNTIME_DEFERRED_OWN_WORDS_H

#include "runtime/core/shadow.h"

/* A shadow word and its detail: two registers. */
struct rt_pair {
    uint64_t word, detail;
};

/* rt_add_access (core/access.h) where some bytes are of another epoch: what the two become. The
 * word is 0 if there is no room. */
struct rt_pair rt_add_beside(const struct rt_thread *t, uint64_t word, uint64_t detail,
                             uint32_t bytes, uintptr_t caller);

/* rt_add_access, for where most accesses come by. */
static inline bool rt_add(const struct rt_thread *t, uint64_t *word, uint64_t *detail,
                          uint32_t bytes, uintptr_t caller) {
    if (rt_is_of(*word, t->current)) {
        *word = (*word & ~(uint64_t)RT_EMITTED) | bytes;
        *detail =
            (*detail & ~((uint64_t)bytes << RT_OLD_AT) & ~(uint64_t)UINT32_MAX) | (uint32_t)caller;
    } else if (!(rt_all_bytes(*word, *detail) & ~bytes)) {
        *word = t->current | bytes | (*word & (RT_MIXED | RT_KNOWN));
        *detail = (uint32_t)caller | (*detail & RT_PRIVATE);
    } else {
        struct rt_pair pair = rt_add_beside(t, *word, *detail, bytes, caller);
        if (!pair.word)
            return false;
        *word = pair.word;
        *detail = pair.detail;
    }
    return true;
}

/* The same for an access that was emitted, or is sure to fit. When there is no room all the same,
 * the granule is mixed, and the watcher knows what was there. */
void rt_add_always(const struct rt_thread *t, uint64_t *word, uint64_t *detail, uint32_t bytes,
                   uintptr_t caller, bool emitted);

/* These bytes were written: reads of them are over. */
static inline void rt_drop_reads(uint64_t *word, uint64_t *detail, uint32_t bytes) {
    *word &= ~(uint64_t)bytes;
    *detail &= ~((uint64_t)bytes << RT_OLD_AT);
    if (!rt_all_bytes(*word, *detail))
        *word = *detail = 0;
}

/* Would the word have room for another access of its thread, whatever the epoch will be? */
bool rt_fits(const struct rt_thread *t, uint64_t word, uint64_t detail, uint32_t bytes);

/* The same if the epoch stays as it is. */
bool rt_fits_now(const struct rt_thread *t, uint64_t word, uint64_t detail, uint32_t bytes);

/* The shadow of a granule that the thread is about to write or read, after epochs of this thread
 * that are alike were made one there. */
struct rt_view rt_load_settled(const struct rt_thread *t, uintptr_t granule, bool write);

#endif
