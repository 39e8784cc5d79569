/* Accesses to a granule that no other thread has touched. Most accesses that are not repetitions
 * are of this kind, since each call of a function is an epoch, in which its accesses are new. */
#ifndef SERIATIM_RUNTIME_DEFERRED_OWN_MEMORY_H
#define SERIATIM_RUNTIME_DEFERRED_OWN_MEMORY_H

#include "runtime/core/flush_deferred.h"
#include "runtime/deferred/own_words.h"

/* Has no other thread touched it, and is nothing known beside the word? */
static inline bool rt_is_own_or_none(const struct rt_thread *t, uint64_t word) {
    return !word || (((word ^ t->me) & (RT_WHO | RT_MIXED)) == 0 && word >= t->first);
}

/* Memory of a thread that is alone. Nothing of that is emitted, ever (rt_alone_before). All that
 * counts is which bytes it has touched: others who touch them later have met it. The places in the
 * code, in the details, stay away. */
static inline bool rt_touch_alone(const struct rt_thread *t, uintptr_t granule, uint64_t w,
                                  uint64_t r, uint32_t bytes, bool write) {
    if (!t->alone || rt_is_stale(t) || !rt_is_own_or_none(t, w) || !rt_is_own_or_none(t, r))
        return false;
    uint64_t then = ((write ? w : r) & (RT_FLAGS | RT_BYTES)) | t->current | bytes;
    struct rt_shadow *shadow = rt_shadow_of(granule);
    atomic_store_explicit(write ? &shadow->write : &shadow->read, then, memory_order_relaxed);
    return true;
}

/* Does a word of the thread that is not MIXED, with its detail, tell of no other bytes than these?
 * An untouched word has no detail, which need not be loaded. */
static inline bool rt_has_no_other(uint64_t word, const _Atomic uint64_t *detail, uint32_t bytes) {
    return !word ||
           !(rt_all_bytes(word, atomic_load_explicit(detail, memory_order_relaxed)) & ~bytes);
}

/* An access where both words are the thread's or none. False: nothing was done, since other bytes
 * were accessed, too. */
static inline __attribute__((always_inline)) bool rt_set_own(const struct rt_thread *t,
                                                             uintptr_t address, uint64_t w,
                                                             uint64_t r, uint32_t bytes, bool write,
                                                             uintptr_t caller) {
    const struct rt_detail *detail = rt_detail_of(address);
    if (!rt_has_no_other(r, &detail->read, bytes) ||
        (write && !rt_has_no_other(w, &detail->write, bytes)))
        return false;
    if (!write) {
        rt_set_read(address, t->current | bytes, (uint32_t)caller);
        return true;
    }
    if (r)
        rt_set_read(address, 0, 0);
    rt_set_write(address, t->current | bytes | (w & RT_KNOWN), (uint32_t)caller);
    return true;
}

/* These bytes were written. If all of them were by now, the shadow knows all about the granule
 * again. */
static inline void rt_unmix(uintptr_t granule, struct rt_view *view, uint32_t bytes) {
    if (!(view->write & RT_MIXED) ||
        (view->write_detail & RT_PRIVATE && !rt_drop_spilled(granule, bytes)) ||
        rt_all_bytes(view->write, view->write_detail) != RT_BYTES)
        return;
    view->write &= ~(uint64_t)RT_MIXED;
    view->write_detail &= ~RT_PRIVATE;
}

/* Adds an access to what the shadow says of a granule that no other thread has touched. False:
 * there is no room. */
static inline __attribute__((always_inline)) bool rt_add_to_own(struct rt_thread *t,
                                                                uintptr_t granule,
                                                                struct rt_view view, uint32_t bytes,
                                                                bool write, uintptr_t caller) {
    if (!write) {
        if (!rt_add(t, &view.read, &view.read_detail, bytes, caller))
            return false;
        rt_set_read(granule, view.read, view.read_detail);
        return true;
    }
    if (!rt_add(t, &view.write, &view.write_detail, bytes, caller))
        return false;
    rt_unmix(granule, &view, bytes);
    if (view.read) {
        rt_drop_reads(&view.read, &view.read_detail, bytes);
        rt_set_read(granule, view.read, view.read_detail);
    }
    rt_set_write(granule, view.write, view.write_detail);
    return true;
}

/* What is left of rt_set_own, for whole granules. */
static inline bool rt_set_own_beside(struct rt_thread *t, uintptr_t granule, uint64_t w, uint64_t r,
                                     uint32_t bytes, bool write, uintptr_t caller) {
    const struct rt_detail *detail = rt_detail_of(granule);
    struct rt_view view = {w, r, atomic_load_explicit(&detail->write, memory_order_relaxed),
                           atomic_load_explicit(&detail->read, memory_order_relaxed)};
    return write ? rt_add_to_own(t, granule, view, bytes, true, caller)
                 : rt_add_to_own(t, granule, view, bytes, false, caller);
}

/* What is left: access_deferred.c. */
void rt_defer_slowly(uintptr_t address, uint32_t bytes, bool write, uintptr_t caller, uint64_t w,
                     uint64_t r);

#endif
