#include "runtime/deferred/own_words.h"
#include "runtime/core/access.h"
#include "runtime/core/call_stack.h"

/* What is left of an earlier epoch when these bytes are accessed. */
struct left {
    uint32_t bytes; /* of the epoch */
    uint64_t epoch;
    bool emitted;
    bool too_much; /* there are two such epochs, or it is too long ago */
};

/* Is it so long ago that a detail cannot say it? */
static inline bool is_long_ago(const struct rt_thread *t, uint64_t epoch) {
    return (rt_epoch_of(t->current) - epoch) >> (RT_OLD_EPOCH_BITS - 1) != 0;
}

/* Which epochs are alike is asked only if there are two, or one of long ago: that takes time. */
static inline __attribute__((always_inline)) struct left
left_of(const struct rt_thread *t, uint64_t word, uint64_t detail, uint32_t last, uint32_t older) {
    struct left left = {last | older, rt_epoch_of(word), false, false};
    if (!left.bytes)
        return left;
    left.emitted = (!older || detail & RT_OLD_EMITTED) && (!last || (word & RT_EMITTED) != 0);
    if (older) {
        left.epoch = rt_old_epoch(word, detail);
        if (last) {
            left.epoch = rt_last_alike(t, left.epoch);
            left.too_much = rt_last_alike(t, rt_epoch_of(word)) != left.epoch;
        }
    }
    if (__builtin_expect(is_long_ago(t, left.epoch), 0)) {
        left.epoch = rt_last_alike(t, left.epoch);
        left.too_much |= is_long_ago(t, left.epoch);
    }
    return left;
}

/* What cannot matter any more may stay where there is room for it. */
static __attribute__((noinline)) struct left live_left(const struct rt_thread *t, uint64_t word,
                                                       uint64_t detail, uint32_t last,
                                                       uint32_t older) {
    uint32_t live = rt_live_bytes(word, detail);
    return left_of(t, word, detail, last & live, older & live);
}

static inline __attribute__((always_inline)) struct left
left_behind(const struct rt_thread *t, uint64_t word, uint64_t detail, uint32_t bytes) {
    uint32_t last = word & RT_BYTES & ~bytes, older = rt_old_bytes(detail) & ~bytes & ~last;
    struct left left = left_of(t, word, detail, last, older);
    if (__builtin_expect(left.too_much, 0))
        left = live_left(t, word, detail, last, older);
    return left;
}

/* The bytes of a word that count as accessed in the present epoch. */
static uint32_t bytes_alike(const struct rt_thread *t, uint64_t word) {
    return rt_is_since(t, word, t->alike) ? word & RT_BYTES : 0;
}

struct rt_pair rt_add_beside(const struct rt_thread *t, uint64_t word, uint64_t detail,
                             uint32_t bytes, uintptr_t caller) {
    bytes |= bytes_alike(t, word);
    struct left left = left_behind(t, word, detail, bytes);
    if (left.too_much)
        return (struct rt_pair){0, 0};
    detail = (uint32_t)caller | (detail & RT_PRIVATE);
    if (left.bytes)
        detail |= (uint64_t)left.bytes << RT_OLD_AT | (left.emitted ? RT_OLD_EMITTED : 0) |
                  left.epoch << RT_OLD_EPOCH_AT;
    return (struct rt_pair){t->current | bytes | (word & (RT_MIXED | RT_KNOWN)), detail};
}

bool rt_add_access(const struct rt_thread *t, uint64_t *word, uint64_t *detail, uint32_t bytes,
                   uintptr_t caller) {
    return rt_add(t, word, detail, bytes, caller);
}

void rt_add_always(const struct rt_thread *t, uint64_t *word, uint64_t *detail, uint32_t bytes,
                   uintptr_t caller, bool emitted) {
    /* What is there already of the same epoch may not be emitted. */
    bool all = emitted && (!rt_is_of(*word, t->current) || *word & RT_EMITTED);
    if (!rt_add(t, word, detail, bytes, caller)) {
        *word = t->current | bytes | (*word & (RT_MIXED | RT_KNOWN));
        *detail = (uint32_t)caller;
    }
    *word |= all ? RT_EMITTED : 0;
}

bool rt_fits(const struct rt_thread *t, uint64_t word, uint64_t detail, uint32_t bytes) {
    return !rt_is_mine(t, word) || !left_behind(t, word, detail, bytes).too_much;
}

bool rt_fits_now(const struct rt_thread *t, uint64_t word, uint64_t detail, uint32_t bytes) {
    return rt_fits(t, word, detail, bytes | bytes_alike(t, word));
}

/* Makes one epoch of two that are alike, as long as that is known: the next event may hide it. */
static void settle(const struct rt_thread *t, uint64_t *word, uint64_t *detail,
                   _Atomic uint64_t *shadow, _Atomic uint64_t *shadow_detail) {
    if (!rt_is_mine(t, *word) || !rt_old_bytes(*detail))
        return;
    struct left left = left_behind(t, *word, *detail, 0);
    if (left.too_much)
        return;
    uint64_t then = t->me | left.epoch << RT_EPOCH_AT | left.bytes |
                    (*word & (RT_MIXED | RT_KNOWN)) | (left.emitted ? RT_EMITTED : 0);
    if (atomic_compare_exchange_strong(shadow, word, then)) {
        *word = then;
        *detail &= UINT32_MAX | RT_PRIVATE;
        atomic_store_explicit(shadow_detail, *detail, memory_order_relaxed);
    }
}

struct rt_view rt_load_settled(const struct rt_thread *t, uintptr_t granule, bool write) {
    struct rt_view view = rt_load_view(granule);
    struct rt_shadow *shadow = rt_shadow_of(granule);
    struct rt_detail *detail = rt_detail_of(granule);
    /* If several threads have read it, they will be asked what they read of this very word. */
    if (write && rt_state_of(view.read) != RT_SHARED)
        settle(t, &view.write, &view.write_detail, &shadow->write, &detail->write);
    settle(t, &view.read, &view.read_detail, &shadow->read, &detail->read);
    return view;
}
