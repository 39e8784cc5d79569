#include "runtime/core/sync_events.h"
#include "runtime/core/call_stack.h"
#include "runtime/core/loaded_modules.h"
#include "runtime/core/shadow.h"
#include "runtime/core/stream_writer.h"
#include "runtime/core/thread_slot.h"

/* An event with a number. After one by which this thread can have learned something, accesses have
 * to be told again. */
static void tell_ordered(enum st_stream_op op, unsigned aux, uintptr_t address, uint64_t argument,
                         bool learns) {
    struct rt_thread *t = rt_self;
    if (argument - rt_unwinder.start < rt_unwinder.length)
        return; /* the unwinder, for its own sake, in the middle of a block of the program */
    rt_tell_frames(t);
    rt_draw(t);
    rt_put(t, st_stream_what(op, aux, address), argument);
    rt_publish(t);
    if (learns)
        rt_new_epoch(t);
    else
        rt_moved(t);
}

/* Memory of which nothing was told is not told when it is freed. A lock may be all that is in it,
 * and has to end there. */
static void touch_object(const volatile void *object) {
    _Atomic uint64_t *word = &rt_cell((uintptr_t)object)->write;
    if (!(atomic_load_explicit(word, memory_order_relaxed) & RT_KNOWN))
        atomic_fetch_or_explicit(word, RT_KNOWN, memory_order_relaxed);
}

void rt_acquire(const volatile void *lock, uintptr_t caller) {
    tell_ordered(ST_STREAM_ACQUIRE, 0, (uintptr_t)lock, caller, true);
    touch_object(lock);
}

void rt_release(const volatile void *lock, uintptr_t caller) {
    tell_ordered(ST_STREAM_RELEASE, 0, (uintptr_t)lock, caller, false);
}

void rt_send(const volatile void *object, unsigned channel, uintptr_t caller) {
    tell_ordered(ST_STREAM_SEND, channel, (uintptr_t)object, caller, false);
    touch_object(object);
}

void rt_receive(const volatile void *object, unsigned channel, uintptr_t caller) {
    tell_ordered(ST_STREAM_RECEIVE, channel, (uintptr_t)object, caller, true);
}

void rt_thread_join(uint32_t serial, uintptr_t caller) {
    tell_ordered(ST_STREAM_JOIN, 0, serial, caller, true);
}

uint32_t rt_thread_fork(uintptr_t caller) {
    uint32_t serial = rt_new_serial();
    tell_ordered(ST_STREAM_FORK, 0, serial, caller, false);
    return serial;
}

void rt_split(void) {
    if (rt_self->told) {
        rt_put(rt_self, st_stream_what(ST_STREAM_SPLIT, 0, 0), 0);
        rt_publish(rt_self);
        rt_new_epoch(rt_self);
    }
}

void rt_mark_guard(const volatile void *guard) {
    atomic_store_explicit(&rt_cell((uintptr_t)guard)->write,
                          rt_with_number(RT_SHARED, rt_self->number) | RT_GUARD,
                          memory_order_release);
}
