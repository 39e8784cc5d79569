/* What a test of ThreadSanitizer calls in its runtime, for programs that run without one. */
#include <pthread.h>
#include <sched.h>

/* A barrier that no tool sees. The low half counts arrivals, the high half is how many to wait for.
 */
void __tsan_testonly_barrier_init(unsigned *barrier, unsigned count) {
    __atomic_store_n(barrier, count << 16, __ATOMIC_RELAXED);
}

void __tsan_testonly_barrier_wait(unsigned *barrier) {
    unsigned old = __atomic_fetch_add(barrier, 1, __ATOMIC_RELAXED);
    unsigned count = old >> 16, round = (old & 0xffff) / count;
    while ((__atomic_load_n(barrier, __ATOMIC_RELAXED) & 0xffff) / count == round)
        sched_yield();
}
