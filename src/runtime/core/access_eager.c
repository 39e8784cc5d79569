/* Eager accesses: each one that is not a repetition is emitted when it happens. */
#include "runtime/core/access.h"
#include "runtime/core/call_stack.h"
#include "runtime/core/flush_deferred.h"
#include "runtime/core/stream_writer.h"

/* A program without data races needs no sequence number for an access: what it synchronises with
 * has some. Where accesses race, the one that comes second gets one. */
static void add_need(struct rt_need *need, const struct rt_thread *t, uint64_t w, uint64_t r,
                     bool write) {
    enum rt_state state = rt_state_of(w);
    if (state == RT_OWN) {
        need->sequence |= !rt_is_mine(t, w) && !rt_comes_after(t, w);
    } else if (state != RT_UNTOUCHED) {
        need->sequence |= write && state == RT_SHARED;
        if (rt_sequence_of(w) > need->observe)
            need->observe = rt_sequence_of(w);
    }
    if (write && r)
        need->sequence |=
            rt_state_of(r) == RT_SHARED || (!rt_is_mine(t, r) && !rt_comes_after(t, r));
}

static void emit(struct rt_thread *t, const struct rt_need *need, uintptr_t address, size_t size,
                 bool write, uintptr_t caller) {
    rt_emit_frames(t);
    rt_emit_order(t, need);
    rt_emit_access(t, address, size, write, caller);
    rt_publish(t);
}

/* The order of writes implies that of the reads before them. */
static void keep_write(const struct rt_thread *t, struct rt_shadow *shadow, uint64_t w, uint64_t r,
                       uint32_t bytes) {
    if (r)
        atomic_store_explicit(&shadow->read, 0, memory_order_relaxed);
    uint64_t then = (rt_is_of(w, t->current) ? w : t->current) | bytes;
    atomic_store_explicit(&shadow->write, then, memory_order_release);
}

static void keep_read(struct rt_thread *t, struct rt_shadow *shadow, uintptr_t granule, uint64_t w,
                      uint64_t r, uint32_t bytes) {
    if (rt_state_of(w) == RT_SHARED || rt_state_of(r) == RT_SHARED || rt_is_foreign(t, r)) {
        if (rt_is_foreign(t, r))
            atomic_store_explicit(&shadow->read, rt_with_sequence(RT_SHARED, 0),
                                  memory_order_release);
        rt_keep_shared_read(t, granule, w, bytes, 0, true);
        return;
    }
    uint64_t then = (rt_is_of(r, t->current) ? r : t->current) | bytes;
    atomic_store_explicit(&shadow->read, then, memory_order_release);
}

static void keep(struct rt_thread *t, uintptr_t granule, uint32_t bytes, bool write) {
    struct rt_shadow *shadow = rt_shadow_of(granule);
    uint64_t w = atomic_load_explicit(&shadow->write, memory_order_relaxed);
    uint64_t r = atomic_load_explicit(&shadow->read, memory_order_relaxed);
    if (!rt_has_slot(t)) { /* no shadow word can be this thread's: as if it had been atomic */
        atomic_store_explicit(&shadow->read, 0, memory_order_relaxed);
        atomic_store_explicit(&shadow->write, rt_with_sequence(RT_SHARED, t->sequence),
                              memory_order_release);
    } else if (write) {
        keep_write(t, shadow, w, r, bytes);
    } else {
        keep_read(t, shadow, granule, w, r, bytes);
    }
}

static void emit_granule(struct rt_thread *t, uintptr_t address, uint32_t bytes, bool write,
                         uintptr_t caller) {
    uintptr_t granule = address & ~(uintptr_t)7;
    const struct rt_shadow *shadow = rt_shadow_of(granule);
    struct rt_need need = {.sequence = !rt_has_slot(t)};
    add_need(&need, t, atomic_load_explicit(&shadow->write, memory_order_acquire),
             atomic_load_explicit(&shadow->read, memory_order_acquire), write);
    emit(t, &need, address, rt_size_of(address, bytes), write, caller);
    keep(t, granule, bytes, write);
}

void rt_emit_now(uintptr_t address, uint32_t bytes, bool write, uintptr_t caller) {
    if (!rt_enter())
        return;
    if (!rt_is_ignored(rt_self, !write, write))
        emit_granule(rt_self, address, bytes, write, caller);
    rt_leave();
}

/* What all granules of a range need; false if the whole access is a repetition. */
static bool add_needs(struct rt_need *need, struct rt_thread *t, uintptr_t address, size_t size,
                      bool write) {
    bool news = false;
    for (uintptr_t g = address & ~(uintptr_t)7; g < address + size; g += 8) {
        const struct rt_shadow *shadow = rt_shadow_of(g);
        uint64_t w = atomic_load_explicit(&shadow->write, memory_order_acquire);
        uint64_t r = atomic_load_explicit(&shadow->read, memory_order_acquire);
        if (rt_is_repeated(t, rt_since_of(t), g, w, r, rt_bytes_in(g, address, size), write))
            continue;
        news = true;
        add_need(need, t, w, r, write);
    }
    return news;
}

void rt_emit_range_now(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                       uintptr_t caller) {
    struct rt_need need = {.sequence = !rt_has_slot(t)};
    if (!add_needs(&need, t, address, size, write))
        return;
    emit(t, &need, address, size, write, caller);
    for (uintptr_t g = address & ~(uintptr_t)7; g < address + size; g += 8)
        keep(t, g, rt_bytes_in(g, address, size), write);
}
