// Double-checked initialisation without the second check: two threads find the flag unset and both
// initialise. The twin asks once, under the lock.
//
// EXPECT violated: get_instance
// EXPECT cut-by: get_instance
// EXPECT on: instance
// EXPECT line: get_instance @first @lock
// EXPECT runs: get_instance 1/2
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <stdatomic.h>

static struct {
    pthread_mutex_t lock;
    atomic_int ready;
    int made;
} instance = {.lock = PTHREAD_MUTEX_INITIALIZER};

static BLOCK int get_instance(int slow) {
#ifdef FIXED
    pthread_mutex_lock(&instance.lock);
    if (slow) {
        step(1);
        step(4);
    }
    if (!instance.made)
        instance.made++;
    int made = instance.made;
    pthread_mutex_unlock(&instance.lock);
    return made;
#else
    if (!atomic_load_explicit(&instance.ready, memory_order_acquire)) { // @first
        if (slow) {
            step(1);
            step(4);
        }
        pthread_mutex_lock(&instance.lock); // @lock
        instance.made++;
        atomic_store_explicit(&instance.ready, 1, memory_order_release); // @lock
        pthread_mutex_unlock(&instance.lock);
    }
    return 1;
#endif
}

THREAD(slow) {
    get_instance(1);
    return NULL;
}

THREAD(fast) {
    step(2);
    get_instance(0);
    step(3);
    return NULL;
}

int main(void) {
    together(slow, fast);
#ifdef FIXED
    check(instance.made == 1);
#else
    check(instance.made == 2);
#endif
    puts("ok");
    return 0;
}
