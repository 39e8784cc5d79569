// A semaphore from an atomic word, as a lock for two threads at a time. Under it, each thread is to
// add to a total in one step; the bug reads it, and writes it later. The counter of free places is
// a lock, and the total is data.
//
// EXPECT violated: use
// EXPECT cut-by: use
// EXPECT on: total
// EXPECT line: use @out @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <sched.h>
#include <stdatomic.h>

static atomic_int places = 2, total;

static void enter(void) {
    for (;;) {
        int left = atomic_load(&places);
        if (left > 0 && atomic_compare_exchange_strong(&places, &left, left - 1))
            return;
        sched_yield();
    }
}

static void leave(void) {
    atomic_fetch_add(&places, 1);
}

static BLOCK void use(int slow) {
    enter();
#ifdef FIXED
    if (slow) {
        step(1);
        step(4);
    }
    atomic_fetch_add(&total, 1);
#else
    int old = atomic_load(&total); // @out
    if (slow) {
        step(1);
        step(4);
    }
    atomic_store(&total, old + 1); // @out @in
#endif
    leave();
}

THREAD(slow) {
    use(1);
    return NULL;
}

THREAD(fast) {
    step(2);
    use(0);
    step(3);
    return NULL;
}

int main(void) {
    together(slow, fast);
#ifdef FIXED
    check(atomic_load(&total) == 2);
#else
    check(atomic_load(&total) == 1);
#endif
    puts("ok");
    return 0;
}
