#include "runtime/core/sync_events.h"
#include "runtime/core/call_stack.h"
#include "runtime/core/loaded_modules.h"
#include "runtime/core/shadow.h"
#include "runtime/core/stream_writer.h"
#include "runtime/core/thread_slot.h"

/* ---- for debuggers ---- */

RT_EXPORT __attribute__((noinline)) void __seriatim_on_report(void);
RT_EXPORT __attribute__((noinline)) void __seriatim_on_report(void) {
    __asm__ volatile("" ::: "memory");
}

/* How many of the watcher's findings (`reports` of the head) were announced. */
static _Atomic uint32_t announced;

static __attribute__((noinline)) void announce_report(uint32_t reports) {
    if (atomic_exchange(&announced, reports) != reports)
        __seriatim_on_report();
}

/* The watcher learns of a cut some time after it, so any thread that comes along will do. */
static inline void look_for_reports(void) {
    uint32_t reports = atomic_load_explicit(&rt_head->reports, memory_order_relaxed);
    if (__builtin_expect(reports != atomic_load_explicit(&announced, memory_order_relaxed), 0))
        announce_report(reports);
}

/* ---- events ---- */

/* An event with a sequence number. After one by which this thread can have learned something,
 * repeated accesses count as new. */
static void emit_ordered(enum st_stream_op op, unsigned aux, uintptr_t address, uint64_t argument,
                         bool learns) {
    struct rt_thread *t = rt_self;
    if (rt_is_in(&rt_unwinder, argument))
        return; /* see is_unseen */
    if (t->ignored_sync && op != ST_STREAM_FORK && op != ST_STREAM_JOIN)
        return;
    rt_emit_frames(t);
    rt_take_sequence(t);
    rt_emit(t, st_stream_what(op, aux, address), argument);
    rt_publish(t);
    if (learns)
        rt_new_epoch(t);
    else
        rt_new_deferred_epoch(t);
    look_for_reports();
}

void rt_acquire(const volatile void *lock, uintptr_t caller) {
    emit_ordered(ST_STREAM_ACQUIRE, 0, (uintptr_t)lock, caller, true);
    rt_mark_known((uintptr_t)lock);
}

void rt_release(const volatile void *lock, uintptr_t caller) {
    emit_ordered(ST_STREAM_RELEASE, 0, (uintptr_t)lock, caller, false);
}

void rt_acquire_as(const volatile void *lock, enum st_stream_lock what, uintptr_t caller) {
    emit_ordered(ST_STREAM_ACQUIRE, what, (uintptr_t)lock, caller, true);
    rt_mark_known((uintptr_t)lock);
}

void rt_release_as(const volatile void *lock, enum st_stream_lock what, uintptr_t caller) {
    emit_ordered(ST_STREAM_RELEASE, what, (uintptr_t)lock, caller, false);
    rt_mark_known((uintptr_t)lock);
}

/* Is it no concern of the watcher? The unwinder synchronises for its own sake, within a block of
 * the program. */
static bool is_unseen(const struct rt_thread *t, uintptr_t caller) {
    return t->ignored_sync || rt_is_in(&rt_unwinder, caller);
}

void rt_lock(const volatile void *lock, enum st_stream_lock what, uintptr_t caller) {
    if (is_unseen(rt_self, caller))
        return;
    if (rt_hold(rt_self, lock, what, caller))
        look_for_reports();
    else
        rt_acquire_as(lock, what, caller);
}

void rt_unlock(const volatile void *lock, enum st_stream_lock what, uintptr_t caller) {
    if (is_unseen(rt_self, caller))
        return;
    if (rt_let_go(rt_self, lock, what, caller))
        look_for_reports();
    else
        rt_release_as(lock, what, caller);
}

void rt_semaphore(const volatile void *semaphore, unsigned value, bool opened, uintptr_t caller) {
    unsigned aux =
        (value < ST_STREAM_OPENED ? value : ST_STREAM_OPENED - 1) | (opened ? ST_STREAM_OPENED : 0);
    emit_ordered(ST_STREAM_SEMAPHORE_MADE, aux, (uintptr_t)semaphore, caller, false);
    rt_mark_known((uintptr_t)semaphore);
}

void rt_send(const volatile void *object, unsigned channel, uintptr_t caller) {
    emit_ordered(ST_STREAM_SEND, channel, (uintptr_t)object, caller, false);
    rt_mark_known((uintptr_t)object);
}

void rt_receive(const volatile void *object, unsigned channel, uintptr_t caller) {
    emit_ordered(ST_STREAM_RECEIVE, channel, (uintptr_t)object, caller, true);
}

void rt_thread_join(uint32_t serial, uintptr_t caller) {
    emit_ordered(ST_STREAM_JOIN, 0, serial, caller, true);
}

uint32_t rt_thread_fork(uintptr_t caller) {
    uint32_t serial = rt_new_serial();
    rt_emit_stack(rt_self);
    emit_ordered(ST_STREAM_FORK, 0, serial, caller, false);
    rt_end_alone(rt_self);
    return serial;
}

void rt_thread_named(uint32_t serial, const char *name) {
    struct rt_thread *t = rt_self;
    rt_emit(t, st_stream_what(ST_STREAM_THREAD_NAME, 0, serial), 0);
    rt_emit_text(t, 0, name);
    rt_publish(t);
}

void rt_split_by(uintptr_t caller) {
    if (rt_self->emitted_depth && !rt_self->ignored_sync) {
        rt_emit(rt_self, st_stream_what(ST_STREAM_SPLIT, ST_SPLIT_HERE, 0), caller);
        rt_publish(rt_self);
        rt_new_epoch(rt_self);
    }
}

void rt_split(void) {
    rt_split_by(0);
}

uint64_t rt_split_before_wait(void) {
    rt_split();
    return rt_self->position;
}

void rt_split_after_wait(uint64_t position) {
    if (rt_self->position != position)
        rt_split();
}

/* What is open must be known before it is paused: its begin would seem to be part of the work. */
static void emit_split(enum st_stream_split kind) {
    rt_emit_frames(rt_self);
    rt_emit(rt_self, st_stream_what(ST_STREAM_SPLIT, kind, 0), 0);
    rt_publish(rt_self);
    rt_new_epoch(rt_self);
}

void rt_pause(void) {
    emit_split(ST_SPLIT_PAUSE);
    rt_begin_work(rt_self);
    rt_self->pauses++;
}

void rt_resume(void) {
    emit_split(ST_SPLIT_RESUME);
    if (rt_self->pauses && --rt_self->pauses == 0)
        rt_end_work(rt_self);
}

/* A word that was never accessed atomically is not the program's, but that of code that is not
 * watched. The shadow does not say whether it was loaded; who waits has done that just now. The
 * watcher looks closer. */
static void emit_futex(enum st_stream_op op, const volatile void *word, uintptr_t caller) {
    enum { FUTEX_CHANNEL = 254 };
    uint64_t shadow = atomic_load(&rt_shadow_of((uintptr_t)word)->write);
    if (rt_state_of(shadow) == RT_SHARED || rt_self->loaded == (uintptr_t)word)
        emit_ordered(op, FUTEX_CHANNEL, (uintptr_t)word, caller, op != ST_STREAM_FUTEX_WAKE);
}

void rt_futex_wait(const volatile void *word, uintptr_t caller) {
    emit_futex(ST_STREAM_FUTEX_WAIT, word, caller);
}

void rt_futex_wake(const volatile void *word, uintptr_t caller) {
    emit_futex(ST_STREAM_FUTEX_WAKE, word, caller);
}

void rt_futex_woken(const volatile void *word, uintptr_t caller) {
    emit_futex(ST_STREAM_FUTEX_WOKEN, word, caller);
}

void rt_mark_guard(const volatile void *guard) {
    atomic_store_explicit(&rt_shadow_of((uintptr_t)guard)->write,
                          rt_with_sequence(RT_SHARED, rt_self->sequence) | RT_GUARD,
                          memory_order_release);
}
