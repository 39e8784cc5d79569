// Double-checked initialisation done right, at the one moment when it looks wrong: a thread found
// the flag unset, waited for the lock, and found the flag set. It has seen both, so no serial order
// explains it, although no harm is done. The definition says "violated"; `ignore function` is the
// answer. The twin is the way it goes nearly always: the flag is set long before.
//
// EXPECT violated: get_instance
// EXPECT cut-by: get_instance
// EXPECT on: instance
// EXPECT line: get_instance @first @lock
// EXPECT runs: get_instance 1/2
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <stdatomic.h>

static struct {
    pthread_mutex_t lock;
    atomic_int ready;
    int made;
} instance = {.lock = PTHREAD_MUTEX_INITIALIZER};

static BLOCK int get_instance(int slow) {
    if (!atomic_load_explicit(&instance.ready, memory_order_acquire)) { // @first
        if (slow) {
            step(1);
            step(4);
        }
        pthread_mutex_lock(&instance.lock);                                 // @lock
        if (!atomic_load_explicit(&instance.ready, memory_order_relaxed)) { // @lock
            instance.made++;
            atomic_store_explicit(&instance.ready, 1, memory_order_release);
        }
        pthread_mutex_unlock(&instance.lock);
    }
    return instance.made;
}

THREAD(slow) {
#ifdef FIXED
    step(3);
    check(get_instance(0) == 1);
#else
    check(get_instance(1) == 1);
#endif
    return NULL;
}

THREAD(fast) {
#ifdef FIXED
    step(1);
#else
    step(2);
#endif
    check(get_instance(0) == 1);
#ifdef FIXED
    step(2);
#else
    step(3);
#endif
    return NULL;
}

int main(void) {
    together(slow, fast);
    puts("ok");
    return 0;
}
