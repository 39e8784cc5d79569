/* A lock for a few instructions. It needs no function of the C library that is interposed, and
 * yields to a holder that is not running: on one processor it could wait for it forever. */
#ifndef SERIATIM_RUNTIME_CORE_SPIN_H
#define SERIATIM_RUNTIME_CORE_SPIN_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

struct rt_spin {
    _Atomic bool busy;
};

static inline void rt_spin_lock(struct rt_spin *spin) {
    for (unsigned turns = 1; atomic_exchange_explicit(&spin->busy, true, memory_order_acquire);
         turns++)
        if (turns % 64 == 0)
            sched_yield();
}

static inline void rt_spin_unlock(struct rt_spin *spin) {
    atomic_store_explicit(&spin->busy, false, memory_order_release);
}

#endif
