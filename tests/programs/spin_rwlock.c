// A reader-writer lock from one atomic word: the number of readers, or -1 for a writer. The bug
// decides under the lock for reading and acts under the lock for writing, and another thread comes
// in between. In the twin it holds the lock for writing all the time.
//
// EXPECT violated: raise_limit
// EXPECT cut-by: raise_limit
// EXPECT on: config
// EXPECT line: raise_limit @out @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <sched.h>
#include <stdatomic.h>

static struct {
    atomic_int readers;
    int limit;
} config;

static void lock_for_reading(void) {
    for (;;) {
        int readers = atomic_load_explicit(&config.readers, memory_order_relaxed);
        if (readers >= 0 &&
            atomic_compare_exchange_weak_explicit(&config.readers, &readers, readers + 1,
                                                  memory_order_acquire, memory_order_relaxed))
            return;
        sched_yield();
    }
}

static void unlock_for_reading(void) {
    atomic_fetch_sub_explicit(&config.readers, 1, memory_order_release);
}

static void lock_for_writing(void) {
    int nobody = 0;
    while (!atomic_compare_exchange_weak_explicit(&config.readers, &nobody, -1,
                                                  memory_order_acquire, memory_order_relaxed)) {
        nobody = 0;
        sched_yield();
    }
}

static void unlock_for_writing(void) {
    atomic_store_explicit(&config.readers, 0, memory_order_release);
}

static BLOCK int look(int slow) {
    lock_for_reading();
    if (slow) {
        step(1);
        step(4);
    }
    int limit = config.limit;
    unlock_for_reading();
    return limit;
}

static BLOCK void raise_limit(int slow) {
#ifdef FIXED
    lock_for_writing();
    int limit = config.limit;
#else
    lock_for_reading();
    int limit = config.limit; // @out
    unlock_for_reading();
#endif
    if (slow) {
        step(5);
        step(8);
    }
#ifndef FIXED
    lock_for_writing();
#endif
    config.limit = limit + 1; // @in
    unlock_for_writing();
}

/* Both are readers at the same time first. */
THREAD(first) {
    look(1);
    raise_limit(1);
    check(look(0) > 0);
    return NULL;
}

THREAD(second) {
    step(2);
    look(0);
    step(3);
    step(6);
    raise_limit(0);
    step(7);
    return NULL;
}

int main(void) {
    together(first, second);
#ifdef FIXED
    check(config.limit == 2);
#else
    check(config.limit == 1);
#endif
    puts("ok");
    return 0;
}
