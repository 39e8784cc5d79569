// A flag is asked before pthread_once, to save the call. A thread that finds it unset, and then
// uses what another one has initialised meanwhile, was not cut. One that adds to what it has read
// was.
//
// EXPECT violated: count_loads
// EXPECT cut-by: count_loads
// EXPECT on: loads
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int is_loaded;
static int config, loads;

static void load(void) {
    config = 42;
    is_loaded = 1;
}

static BLOCK int use(int slow) {
    int loaded = is_loaded;
    if (slow) {
        step(1);
        step(4);
    }
    if (!loaded)
        check(pthread_once(&once, load) == 0);
    return config;
}

static BLOCK void count_loads(int slow) {
    pthread_mutex_lock(&lock);
    int before = loads;
#ifdef FIXED
    (void)slow;
#else
    pthread_mutex_unlock(&lock);
    if (slow) {
        step(5);
        step(8);
    }
    pthread_mutex_lock(&lock);
#endif
    loads = before + 1;
    pthread_mutex_unlock(&lock);
}

static void *slow(void *argument) {
    check(use(1) == 42);
    count_loads(1);
    return argument;
}

static void *fast(void *argument) {
    step(2);
    check(use(0) == 42);
    step(3);
#ifndef FIXED
    step(6);
#endif
    count_loads(0);
#ifndef FIXED
    step(7);
#endif
    return argument;
}

int main(void) {
    pthread_t one, two;
    check(pthread_create(&one, NULL, slow, NULL) == 0);
    check(pthread_create(&two, NULL, fast, NULL) == 0);
    check(pthread_join(one, NULL) == 0);
    check(pthread_join(two, NULL) == 0);
    puts("ok");
    return 0;
}
