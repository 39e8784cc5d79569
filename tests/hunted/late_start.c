// A worker says that it is running when it begins. If it was asked to stop before that, it never
// stops.
//
// EXPECT harm: hang
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#ifdef FIXED
static atomic_bool running = true;
#else
static atomic_bool running;
#endif
static atomic_long turns;

static void *worker(void *argument) {
#ifndef FIXED
    atomic_store(&running, true); // @gap-before
#endif
    while (atomic_load(&running))
        atomic_fetch_add(&turns, 1);
    return argument;
}

static void *stopper(void *argument) {
    atomic_store(&running, false);
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, stopper, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts("stopped");
    return 0;
}
