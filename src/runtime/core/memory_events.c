#define _GNU_SOURCE
#include "runtime/core/memory_events.h"
#include "runtime/core/call_stack.h"
#include "runtime/core/shadow.h"
#include "runtime/core/stream_writer.h"

#include <sys/mman.h>

enum { LARGE = 256 * 1024 };

/* How many of the innermost frames the watcher needs to know where the memory comes from: those
 * that were not emitted. If all were, and the call was made far from the innermost function, there
 * is a library in between, and the function is what the user knows. */
static unsigned count_callers(const struct rt_thread *t, uintptr_t caller) {
    enum { FAR = 1 << 24 };
    size_t hidden = t->depth - t->emitted_depth;
    if (!hidden && t->depth) {
        uintptr_t function = t->frames[t->depth - 1].function;
        hidden = caller - function + FAR > 2 * (uintptr_t)FAR;
    }
    return hidden < ST_STREAM_MOST_CALLERS ? (unsigned)hidden : ST_STREAM_MOST_CALLERS;
}

typedef void put_record(struct rt_thread *t, uint64_t what, uint64_t argument);

static void put_next(struct rt_thread *t, uint64_t what, uint64_t argument) {
    rt_emit(t, what, argument);
}

static void put_quietly(struct rt_thread *t, uint64_t what, uint64_t argument) {
    rt_write_quietly(t, what, argument);
}

static void emit_named(struct rt_thread *t, enum st_stream_op op, uintptr_t memory, size_t size,
                       uintptr_t caller) {
    unsigned callers = count_callers(t, caller);
    put_record *put = op == ST_STREAM_ALLOCATE_QUIETLY ? put_quietly : put_next;
    put(t, st_stream_what(op, callers, memory), caller);
    put(t, st_stream_what(ST_STREAM_LENGTH, 0, 0), size);
    for (unsigned i = 0; i < callers; i++) {
        const struct rt_frame *frame = &t->frames[t->depth - 1 - i];
        put(t, st_stream_what(ST_STREAM_CALLER, 0, frame->called_from),
            frame->block ? 0 : frame->function);
    }
    rt_publish(t);
}

/* When what was here was freed: the last sequence number, or 0 if nobody knows of anything. */
static uint64_t freed_with(uintptr_t address, size_t size) {
    uint64_t last = 0;
    for (uintptr_t g = address & ~(uintptr_t)7; g < address + size; g += 8) {
        uint64_t write = atomic_load_explicit(&rt_shadow_of(g)->write, memory_order_relaxed);
        if (rt_state_of(write) == RT_FREED && rt_sequence_of(write) > last)
            last = rt_sequence_of(write);
    }
    return last;
}

/* The shadow of a large allocation is given back in whole pages when it is freed, which leaves no
 * word that says when. The sequence number at the next allocation does.
 *
 * In a recording, an allocation comes after the end of what was there, which another thread may
 * have freed. Otherwise that would seem to end what is new, which would not count as fresh
 * (watch/memory/fresh.h). */
void rt_allocate(const void *memory, size_t size, uintptr_t caller) {
    struct rt_thread *t = rt_self;
    t->allocated = (uintptr_t)memory;
    t->allocated_size = size;
    if (rt_deferring && size < LARGE) {
        emit_named(t, ST_STREAM_ALLOCATE_QUIETLY, (uintptr_t)memory, size, caller);
        return;
    }
    if (t->ahead)
        rt_emit_boarded(t);
    if (size >= LARGE)
        rt_take_sequence(t);
    else
        rt_observe(t, freed_with((uintptr_t)memory, size));
    emit_named(t, ST_STREAM_ALLOCATE, (uintptr_t)memory, size, caller);
}

/* Most of them only call malloc, and the watcher knows that memory. */
void rt_hand_out(uintptr_t memory, size_t size, uintptr_t caller) {
    struct rt_thread *t = rt_self;
    if (!memory || (memory == t->allocated && (!size || size == t->allocated_size)))
        return;
    if (t->ahead)
        rt_emit_boarded(t);
    emit_named(t, ST_STREAM_HANDED_OUT, memory, size, caller);
}

/* ---- freeing ---- */

/* Does the watcher know anything about this memory? */
static bool is_known(uintptr_t granule) {
    uint64_t write = atomic_load_explicit(&rt_shadow_of(granule)->write, memory_order_relaxed);
    uint64_t read = atomic_load_explicit(&rt_shadow_of(granule)->read, memory_order_relaxed);
    if (!rt_deferring)
        return write || read;
    return write & (RT_KNOWN | RT_MIXED) || rt_state_of(write) == RT_SHARED ||
           rt_state_of(read) == RT_SHARED;
}

static bool is_range_known(uintptr_t address, size_t size) {
    for (uintptr_t g = address & ~(uintptr_t)7; g < address + size; g += 8)
        if (is_known(g))
            return true;
    return false;
}

/* Whatever touches this memory next happens after that sequence number; 0: nothing was emitted that
 * it could be confused with. */
static void clear_shadow(uintptr_t address, size_t size, uint64_t sequence) {
    const uintptr_t all = (uintptr_t)1 << RT_ADDRESS_BITS; /* where the shadow begins again */
    uintptr_t end = address + size, page = 4096;
    if (size == 0)
        return;
    if (address / all != (end - 1) / all) {
        uintptr_t middle = (address / all + 1) * all;
        clear_shadow(address, middle - address, sequence);
        clear_shadow(middle, end - middle, sequence);
        return;
    }
    uintptr_t first = (address + page - 1) & -page, last = end & -page;
    if (size >= LARGE && last > first) {
        madvise((void *)rt_shadow_of(first), (last - first) * 2, MADV_DONTNEED);
        madvise((void *)rt_detail_of(first), (last - first) * 2, MADV_DONTNEED);
        clear_shadow(address, first - address, sequence);
        clear_shadow(last, end - last, sequence);
        return;
    }
    for (uintptr_t g = address & ~(uintptr_t)7; g < end; g += 8) {
        uint64_t write = atomic_load_explicit(&rt_shadow_of(g)->write, memory_order_relaxed);
        uint64_t read = atomic_load_explicit(&rt_shadow_of(g)->read, memory_order_relaxed);
        bool freed = rt_state_of(write) == RT_FREED && !sequence; /* stays after the older one */
        if (read)
            rt_set_read(g, 0, 0);
        if ((write || (read && sequence)) && !freed)
            rt_set_write(g, sequence ? rt_with_sequence(RT_FREED, sequence) : 0, 0);
    }
}

void rt_free(const void *memory, size_t size) {
    uintptr_t address = (uintptr_t)memory;
    struct rt_thread *t = rt_self;
    if (size == 0)
        return;
    uint64_t sequence = 0;
    if (size >= LARGE || is_range_known(address, size)) {
        sequence = rt_take_sequence(t);
        rt_emit(t, st_stream_what(ST_STREAM_FREE, 0, address), 0);
        rt_emit(t, st_stream_what(ST_STREAM_LENGTH, 0, 0), size);
        rt_publish(t);
    }
    clear_shadow(address, size, sequence);
    if (__builtin_expect(rt_controlled, 0))
        rt_forget_touches(address, size);
}
