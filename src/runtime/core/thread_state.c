/* Starting and ending: each thread in the runtime. */
#define _GNU_SOURCE
#include "runtime/core/thread_state.h"
#include "runtime/core/call_stack.h"
#include "runtime/core/fibers.h"
#include "runtime/core/flush_deferred.h"
#include "runtime/core/spin.h"
#include "runtime/core/stream_writer.h"
#include "runtime/core/thread_slot.h"

_Thread_local struct rt_thread *rt_self;

/* A thread that has ended, belongs to a forked child, or is starting when a signal comes, must not
 * be mistaken for one whose creation nobody saw. */
static _Thread_local bool finished __attribute__((tls_model("initial-exec")));
static _Thread_local bool starting __attribute__((tls_model("initial-exec")));

/* The thread itself, while it runs a fiber (fibers.h), and otherwise: NULL if it is not watched. */
static _Thread_local struct rt_thread *own __attribute__((tls_model("initial-exec")));

bool rt_enter(void) {
    struct rt_thread *t = rt_self;
    if (__builtin_expect(!t, 0)) {
        if (!rt_head || finished)
            return false;
        if (starting) {
            atomic_fetch_add_explicit(&rt_head->dropped, 1, memory_order_relaxed);
            return false;
        }
        rt_thread_start(RT_NO_THREAD); /* created where we could not see it */
        t = rt_self;
        if (!t)
            return false;
        rt_thread_will_end();
    }
    if (t->inside) {
        atomic_fetch_add_explicit(&rt_head->dropped, 1, memory_order_relaxed);
        return false;
    }
    t->inside = true;
    atomic_signal_fence(memory_order_seq_cst);
    return true;
}

void rt_leave(void) {
    rt_leave_quickly();
}

static struct rt_thread *free_threads;
static struct rt_spin threads_lock;

static struct rt_thread *new_thread(void) {
    rt_spin_lock(&threads_lock);
    struct rt_thread *t = free_threads;
    if (t)
        free_threads = t->next;
    rt_spin_unlock(&threads_lock);
    return t ? t : rt_map_memory(sizeof *t);
}

/* A thread that has begun, and has emitted that; NULL if there is no memory for it. */
static struct rt_thread *begin_thread(uint32_t serial) {
    struct rt_thread *t = new_thread();
    if (!t) {
        rt_give_up();
        return NULL;
    }
    t->serial = serial;
    t->generation = rt_generation;
    t->sequence = t->pending_sequence = t->emitted_sequence = 0;
    t->chunks = t->used = 0;
    t->chunk = NULL;
    t->start = 0;
    t->depth = t->emitted_depth = t->boarded_depth = t->start_depth = 0;
    t->pauses = t->work_base = t->work_depth = t->left_count = 0;
    t->looks.count = 0;
    t->held_count = t->emitted_lock_count = t->section_count = 0;
    t->holds_changed = false;
    t->skipped = false;
    t->ignored_reads = t->ignored_writes = t->ignored_sync = 0;
    t->ignoring = 0;
    for (size_t i = 0; i < RT_LEARNED; i++)
        t->learned[i] = (struct rt_learned){0, 0};
    t->inside = true;
    rt_take_slot(t);
    if (t->slot < RT_SLOTS)
        rt_emit(t, st_stream_what(ST_STREAM_SLOT, 0, t->slot), t->base);
    /* The thread that had the slot before has emitted its end, with a sequence number, by now. */
    rt_observe(t, atomic_load(&rt_head->next_sequence) - 1);
    rt_publish(t);
    return t;
}

static void start(uint32_t serial) {
    if (!rt_head || rt_self || finished || atomic_load(&rt_head->closed))
        return;
    struct rt_thread *t = begin_thread(serial);
    own = rt_self = t;
    if (t)
        t->inside = false;
}

static _Atomic uint32_t serials; /* the first thread has 0 */

uint32_t rt_new_serial(void) {
    return atomic_fetch_add(&serials, 1) + 1;
}

uint32_t rt_thread_serial(void) {
    return rt_self->serial;
}

void rt_thread_start(uint32_t fork) {
    starting = true;
    atomic_signal_fence(memory_order_seq_cst);
    if (fork == RT_NO_THREAD)
        rt_end_alone_unseen();
    start(fork == RT_NO_THREAD ? rt_new_serial() : fork);
    atomic_signal_fence(memory_order_seq_cst);
    starting = false;
}

void rt_thread_starts_with(uintptr_t function) {
    if (rt_self)
        rt_self->start = function;
}

void rt_count_lost(void) {
    if (rt_head && finished)
        atomic_fetch_add_explicit(&rt_head->dropped, 1, memory_order_relaxed);
}

/* Of the one that is running, which has rt_enter behind it. */
static void emit_end(struct rt_thread *t) {
    rt_unwind(0);
    rt_flush_shared_reads(t);
    rt_take_sequence(t);
    rt_emit(t, st_stream_what(ST_STREAM_THREAD_END, 0, 0), 0);
    rt_publish(t);
    atomic_store_explicit(&t->chunk->full, 1, memory_order_release);
}

static void free_thread(struct rt_thread *t) {
    rt_give_slot(t);
    rt_spin_lock(&threads_lock);
    t->next = free_threads;
    free_threads = t;
    rt_spin_unlock(&threads_lock);
}

/* A fiber that the thread is in stays as it is: another thread may go on with it. */
void rt_thread_end(void) {
    struct rt_thread *t = own;
    if (!t || !rt_self || rt_self->inside) {
        finished = true;
        return;
    }
    t->inside = true;
    atomic_signal_fence(memory_order_seq_cst);
    rt_self = t;
    emit_end(t);
    finished = true;
    own = rt_self = NULL;
    free_thread(t);
}

/* ---- fibers ---- */

struct rt_thread *rt_fiber_own(void) {
    return own;
}

struct rt_thread *rt_fiber_begin(uint32_t serial) {
    struct rt_thread *fiber = atomic_load(&rt_head->closed) ? NULL : begin_thread(serial);
    if (fiber)
        fiber->inside = false;
    return fiber;
}

void rt_fiber_become(struct rt_thread *fiber) {
    struct rt_thread *before = rt_self;
    fiber->inside = true;
    atomic_signal_fence(memory_order_seq_cst);
    rt_self = fiber;
    atomic_signal_fence(memory_order_seq_cst);
    before->inside = false;
}

void rt_fiber_end(struct rt_thread *fiber) {
    struct rt_thread *self = rt_self;
    fiber->inside = true;
    atomic_signal_fence(memory_order_seq_cst);
    rt_self = fiber;
    emit_end(fiber);
    rt_self = self;
    atomic_signal_fence(memory_order_seq_cst);
    free_thread(fiber);
}

/* ---- processes that are forked ---- */

void rt_thread_stop(void) {
    finished = true;
    own = rt_self = NULL;
}

void rt_threads_reset(void) {
    free_threads = NULL; /* another thread may have been at work on the list */
    atomic_store(&serials, 0);
    finished = starting = false;
    own = rt_self = NULL;
}
