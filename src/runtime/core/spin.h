/* A lock for a few instructions. It needs no function of the C library that is interposed, and
 * yields to a holder that is not running: on one processor it could wait for it forever.
 *
 * It is held by a process, not only by a thread: what other threads held when this process was
 * forked is free in it, since they are not there to let go of it. */
#ifndef SERIATIM_RUNTIME_CORE_SPIN_H
#define SERIATIM_RUNTIME_CORE_SPIN_H

#include "runtime/core/system_call.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

struct rt_spin {
    _Atomic uint32_t holder; /* an rt_generation, or 0 */
};

/* Grows in a process that was forked. */
extern uint32_t rt_generation;

static inline void rt_spin_lock(struct rt_spin *spin) {
    uint32_t ours = rt_generation;
    for (unsigned turns = 1;
         atomic_exchange_explicit(&spin->holder, ours, memory_order_acquire) == ours; turns++)
        if (turns % 64 == 0)
            rt_system_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

static inline void rt_spin_unlock(struct rt_spin *spin) {
    atomic_store_explicit(&spin->holder, 0, memory_order_release);
}

/* ---- for parts of memory ---- */

/* An atomic operation and taking its sequence number must be one step, or two threads could do the
 * one in one order and the other in another. A lock for each part of memory makes them one. It is
 * never held while waiting for something else. */
struct rt_stripe {
    struct rt_spin lock;
    char pad[63];
};

enum { RT_STRIPES = 1024 };
extern struct rt_stripe rt_stripes[RT_STRIPES];

static inline struct rt_spin *rt_stripe_of(const volatile void *address) {
    uintptr_t at = (uintptr_t)address;
    return &rt_stripes[(at >> 3 ^ at >> 13) % RT_STRIPES].lock;
}

/* Is nobody between an operation there and what it leaves in the shadow? */
static inline bool rt_is_settled_there(const volatile void *address) {
    return !atomic_load_explicit(&rt_stripe_of(address)->holder, memory_order_acquire);
}

/* A library that is not instrumented has seen what an operation left there, but its sequence number
 * may not have been taken yet. Afterwards it has. */
void rt_await_operation(const volatile void *address);

#endif
