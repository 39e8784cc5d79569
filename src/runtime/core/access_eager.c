/* Accesses that are told at once, each that is not settled by one look at its cell. */
#include "runtime/core/access.h"
#include "runtime/core/call_stack.h"
#include "runtime/core/flush_deferred.h"
#include "runtime/core/stream_writer.h"

/* A program without data races needs no number for an access: what it synchronises with has some.
 * Where accesses race, the one that comes second gets one. */
static void look(struct rt_need *need, const struct rt_thread *t, uint64_t w, uint64_t r,
                 bool write) {
    enum rt_state state = rt_state(w);
    if (state == RT_OWN) {
        need->number |= !rt_is_mine(t, w) && !rt_comes_after(t, w);
    } else if (state != RT_NOBODY) {
        need->number |= write && state == RT_SHARED;
        if (rt_number_of(w) > need->observe)
            need->observe = rt_number_of(w);
    }
    if (write && r)
        need->number |= rt_state(r) == RT_SHARED || (!rt_is_mine(t, r) && !rt_comes_after(t, r));
}

/* The order of writes takes that of the reads before them along. */
static void keep_write(const struct rt_thread *t, struct rt_cell *cell, uint64_t w, uint64_t r,
                       uint32_t bytes) {
    if (r)
        atomic_store_explicit(&cell->read, 0, memory_order_relaxed);
    uint64_t then = (rt_is_of(w, t->current) ? w : t->current) | bytes;
    atomic_store_explicit(&cell->write, then, memory_order_release);
}

static void keep_read(struct rt_thread *t, struct rt_cell *cell, uintptr_t granule, uint64_t w,
                      uint64_t r, uint32_t bytes) {
    if (rt_state(w) == RT_SHARED || rt_state(r) == RT_SHARED || rt_is_foreign(t, r)) {
        if (rt_is_foreign(t, r))
            atomic_store_explicit(&cell->read, rt_with_number(RT_SHARED, 0), memory_order_release);
        rt_keep_in_table(t, granule, w, bytes, 0, true);
        return;
    }
    uint64_t then = (rt_is_of(r, t->current) ? r : t->current) | bytes;
    atomic_store_explicit(&cell->read, then, memory_order_release);
}

static void keep(struct rt_thread *t, uintptr_t granule, uint32_t bytes, bool write) {
    struct rt_cell *cell = rt_cell(granule);
    uint64_t w = atomic_load_explicit(&cell->write, memory_order_relaxed);
    uint64_t r = atomic_load_explicit(&cell->read, memory_order_relaxed);
    if (!~t->me) { /* no cell can be this thread's: as if it had been atomic */
        atomic_store_explicit(&cell->read, 0, memory_order_relaxed);
        atomic_store_explicit(&cell->write, rt_with_number(RT_SHARED, t->number),
                              memory_order_release);
    } else if (write) {
        keep_write(t, cell, w, r, bytes);
    } else {
        keep_read(t, cell, granule, w, r, bytes);
    }
}

void rt_tell_access(struct rt_thread *t, uintptr_t address, size_t size, uint32_t bytes, bool write,
                    uintptr_t caller) {
    uintptr_t granule = address & ~(uintptr_t)7;
    const struct rt_cell *cell = rt_cell(granule);
    struct rt_need need = {.number = !~t->me};
    look(&need, t, atomic_load_explicit(&cell->write, memory_order_acquire),
         atomic_load_explicit(&cell->read, memory_order_acquire), write);
    rt_tell_frames(t);
    rt_announce(t, &need);
    rt_put_access(t, address, size, write, caller);
    rt_publish(t);
    keep(t, granule, bytes, write);
}

/* All granules of a range with what they need; false if all was told before. */
static bool look_at_range(struct rt_need *need, struct rt_thread *t, uintptr_t address, size_t size,
                          bool write) {
    bool news = false;
    for (uintptr_t g = address & ~(uintptr_t)7; g < address + size; g += 8) {
        const struct rt_cell *cell = rt_cell(g);
        uint64_t w = atomic_load_explicit(&cell->write, memory_order_acquire);
        uint64_t r = atomic_load_explicit(&cell->read, memory_order_acquire);
        if (rt_was_made(t, g, w, r, rt_bytes_in(g, address, size), write))
            continue;
        news = true;
        look(need, t, w, r, write);
    }
    return news;
}

void rt_tell_range(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                   uintptr_t caller) {
    struct rt_need need = {.number = !~t->me};
    if (!look_at_range(&need, t, address, size, write))
        return;
    rt_tell_frames(t);
    rt_announce(t, &need);
    rt_put_access(t, address, size, write, caller);
    rt_publish(t);
    for (uintptr_t g = address & ~(uintptr_t)7; g < address + size; g += 8)
        keep(t, g, rt_bytes_in(g, address, size), write);
}
