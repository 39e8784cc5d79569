/* Eager accesses: each one that is not a repetition is emitted when it happens.
 *
 * What a repetition is depends on the rule (stream.h). For checking, it is one in the same epoch,
 * whatever it does. For prediction, every write is emitted, and begins an epoch. In a stretch in
 * which the thread does nothing but read, each read of something new begins an epoch, too; so a
 * read is left out if the thread has read the same before, and nothing new after that.
 * docs/recordings.md proves that this is enough. */
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

/* ---- values ---- */

/* No program has memory there: it shall crash by its own access. */
enum { FIRST_PAGE = 4096 };

/* What is in memory now: size bytes of a granule. */
static uint64_t load(uintptr_t address, size_t size) {
    uint64_t value = 0;
    const volatile unsigned char *bytes = (const volatile unsigned char *)address;
    if (size == 8)
        return *(const volatile uint64_t *)address;
    if (size == 4 && address % 4 == 0)
        return *(const volatile uint32_t *)address;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

/* What the bytes hold that are about to be accessed, `w` being their shadow word for writes. It is
 * what the last write in the trace left, if that write is done, and no thread has announced another
 * one: threads that do so now change the word before they write. False if that is not certain. */
static bool find_held(const struct rt_thread *t, uintptr_t address, size_t size, uint64_t w,
                      uint64_t *held) {
    if (!rt_values || address < FIRST_PAGE || rt_state_of(w) == RT_SHARED || !rt_is_settled(t, w))
        return false;
    *held = load(address, size);
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&rt_shadow_of(address)->write, memory_order_relaxed) == w;
}

static bool is_range_settled(const struct rt_thread *t, uintptr_t address, size_t size) {
    for (uintptr_t g = address & ~(uintptr_t)7; g < address + size; g += 8) {
        uint64_t w = atomic_load_explicit(&rt_shadow_of(g)->write, memory_order_acquire);
        if (rt_state_of(w) == RT_SHARED || !rt_is_settled(t, w))
            return false;
    }
    return true;
}

/* ---- emitting ---- */

/* An access to one granule, whose shadow word for writes is `w`. */
static void emit(struct rt_thread *t, const struct rt_need *need, uintptr_t address, size_t size,
                 bool write, uint64_t w, uintptr_t caller) {
    uint64_t held;
    rt_emit_frames(t);
    rt_emit_order(t, need);
    if (find_held(t, address, size, w, &held))
        rt_emit_valued_access(t, address, size, write, held, caller);
    else
        rt_emit_access(t, address, size, write, 0, caller);
    rt_publish(t);
}

static void emit_range(struct rt_thread *t, const struct rt_need *need, uintptr_t address,
                       size_t size, bool write, uintptr_t caller) {
    rt_emit_frames(t);
    rt_emit_order(t, need);
    unsigned flags = rt_values && is_range_settled(t, address, size) ? ST_STREAM_SETTLED : 0;
    rt_emit_access(t, address, size, write, flags, caller);
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

/* Has the thread read these bytes before in the present stretch? */
static bool is_known(struct rt_thread *t, uintptr_t granule, uint64_t w, uint64_t r,
                     uint32_t bytes) {
    if (rt_state_of(r) == RT_OWN)
        return rt_is_since(t, r, t->stretch) && !(bytes & ~r);
    const struct rt_shared_read *read = rt_shared_read_of(t, granule);
    return rt_is_since(t, read->mine, t->stretch) && !(bytes & ~read->mine) &&
           rt_was_shared_read(read, granule, w);
}

/* An access was emitted and kept. `known`: it was a read of what the stretch had before. If it got
 * a sequence number, that has ended the epoch, and it was kept as one of the next. */
static void end_epoch(struct rt_thread *t, bool write, bool known) {
    if (!rt_rule || !rt_has_slot(t))
        return;
    if (write)
        rt_new_eager_epoch(t);
    else if (!known)
        rt_new_eager_epoch_within(t);
}

static void emit_granule(struct rt_thread *t, uintptr_t address, uint32_t bytes, bool write,
                         uintptr_t caller) {
    uintptr_t granule = address & ~(uintptr_t)7;
    const struct rt_shadow *shadow = rt_shadow_of(granule);
    struct rt_need need = {.sequence = !rt_has_slot(t)};
    uint64_t w = atomic_load_explicit(&shadow->write, memory_order_acquire);
    uint64_t r = atomic_load_explicit(&shadow->read, memory_order_acquire);
    add_need(&need, t, w, r, write);
    uint64_t stretch = t->stretch;
    emit(t, &need, address, rt_size_of(address, bytes), write, w, caller);
    bool known = rt_rule && stretch == t->stretch && is_known(t, granule, w, r, bytes);
    keep(t, granule, bytes, write);
    end_epoch(t, write, known);
}

/* ---- the common case ---- */

/* Can a record follow at once, which nothing has to come before? */
static inline bool is_ready(const struct rt_thread *t) {
    return t->emitted_depth == t->depth &&
           !(t->pending_sequence | t->ahead | t->ignoring | t->skipped) && t->chunk &&
           t->used < ST_STREAM_RECORDS && rt_has_slot(t) && !rt_values;
}

/* Was the granule written by nobody, by this thread, or by one that it comes after by now? */
static inline bool is_written_before(const struct rt_thread *t, uint64_t w) {
    return rt_is_untouched(w) || rt_is_mine(t, w) ||
           (rt_state_of(w) == RT_OWN && rt_comes_after(t, w));
}

/* What emit_granule does if no other thread has read the granule, and what was written to it comes
 * before the access: then there is no order to take care of. That holds for buffers which threads
 * hand on, too. False: it is not that simple, and nothing was done. */
static inline bool emit_own(struct rt_thread *t, uintptr_t address, uint32_t bytes, bool write,
                            uintptr_t caller) {
    struct rt_shadow *shadow = rt_shadow_of(address);
    uint64_t w = atomic_load_explicit(&shadow->write, memory_order_acquire);
    uint64_t r = atomic_load_explicit(&shadow->read, memory_order_acquire);
    if (!is_ready(t) || (r && !rt_is_mine(t, r)) || !is_written_before(t, w))
        return false;
    bool known = rt_is_since(t, r, t->stretch) && !(bytes & ~r);
    rt_emit_access(t, address, rt_size_of(address, bytes), write, 0, caller);
    rt_publish(t);
    if (write)
        keep_write(t, shadow, w, r, bytes);
    else
        atomic_store_explicit(&shadow->read, (rt_is_of(r, t->current) ? r : t->current) | bytes,
                              memory_order_release);
    end_epoch(t, write, known);
    return true;
}

void rt_emit_now(uintptr_t address, uint32_t bytes, bool write, uintptr_t caller) {
    if (!rt_enter_quickly())
        return;
    if (!emit_own(rt_self, address, bytes, write, caller) && !rt_is_ignored(rt_self, !write, write))
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
        if (rt_rule != ST_STREAM_EVERY &&
            rt_is_repeated(t, rt_since_of(t), g, w, r, rt_bytes_in(g, address, size), write))
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
    emit_range(t, &need, address, size, write, caller);
    for (uintptr_t g = address & ~(uintptr_t)7; g < address + size; g += 8)
        keep(t, g, rt_bytes_in(g, address, size), write);
    end_epoch(t, write, false);
}
