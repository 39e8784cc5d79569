#include "runtime/tsan/looks.h"
#include "runtime/core/call_stack.h"
#include "runtime/core/flush_deferred.h"

/* Of the functions that are open only the innermost is compared, how many there are, and where
 * those are called from that the thread starts with. */
static struct rt_look look_of(const struct rt_thread *t, uintptr_t address, uintptr_t caller) {
    struct rt_look look = {.address = address, .caller = caller, .depth = t->depth};
    if (t->depth) {
        look.function = t->frames[t->depth - 1].function;
        look.called_from = t->frames[t->depth - 1].called_from;
    }
    for (size_t i = 0; i < t->depth && i <= t->start_depth; i++)
        look.start = look.start * 31 + t->frames[i].called_from;
    return look;
}

static bool is_same(const struct rt_look *a, const struct rt_look *b) {
    return a->address == b->address && a->caller == b->caller && a->depth == b->depth &&
           a->function == b->function && a->called_from == b->called_from && a->start == b->start;
}

/* Does a look before this one stand for it, at the same address, from the same place? */
static bool looks_again(struct rt_thread *t, uintptr_t address, uintptr_t caller) {
    struct rt_look look = look_of(t, address, caller);
    if (!rt_is_looking(t))
        return false;
    bool at_start = rt_is_looking_at_start(t);
    for (size_t i = 0; i < t->looks.count && i < RT_LOOKS; i++)
        if (is_same(&t->looks.list[i], &look) && (!at_start || i == t->looks.last)) {
            t->looks.last = i;
            return true;
        }
    return false;
}

/* Has the thread read these bytes since they were last written? The granule's word for writes is w.
 */
static bool was_read(struct rt_thread *t, uintptr_t granule, uint64_t w, uint32_t bytes) {
    const struct rt_shared_read *read = rt_shared_read_of(t, granule);
    return rt_state_of(w) == RT_SHARED && rt_was_shared_read(read, granule, w) &&
           !(bytes & ~rt_all_bytes(read->mine, t->shared_details[rt_table_index(granule)]));
}

bool rt_goes_on_looking(struct rt_thread *t, uintptr_t address, uint64_t w, uint32_t bytes) {
    return rt_is_looking(t) && was_read(t, address & ~(uintptr_t)7, w, bytes);
}

bool rt_defer_look(struct rt_thread *t, uintptr_t address, uint32_t bytes, uintptr_t caller) {
    uintptr_t granule = address & ~(uintptr_t)7;
    struct rt_shadow *shadow = rt_shadow_of(granule);
    uint64_t w = atomic_load_explicit(&shadow->write, memory_order_relaxed);
    if (!rt_deferring_freely || w & RT_GUARD || !was_read(t, granule, w, bytes) ||
        !looks_again(t, address, caller) || !rt_board_look(t))
        return false;
    rt_keep_shared_read(t, granule, w, bytes, caller, false);
    t->loaded = address;
    t->loaded_at = t->position;
    uint64_t reader = rt_with_sequence(RT_SHARED, 0) | rt_reader_bit(t);
    if (~atomic_load_explicit(&shadow->read, memory_order_relaxed) & reader)
        atomic_fetch_or_explicit(&shadow->read, reader, memory_order_release);
    return true;
}

void rt_note_look(struct rt_thread *t, uintptr_t address, uintptr_t caller, bool goes_on) {
    if (!goes_on) {
        t->looks.count = 0;
        __atomic_store_n(&t->looks.since, rt_epoch_of(t->current), __ATOMIC_RELAXED);
    }
    t->looks.last = t->looks.count++ % RT_LOOKS;
    t->looks.list[t->looks.last] = look_of(t, address, caller);
    t->looks.end = t->position;
}
