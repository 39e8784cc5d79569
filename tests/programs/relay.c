// The way back to the block leads through three other threads, over four locks, and none
// of them touches what any but its neighbours have touched. The lines are those of inlined calls.
//
// EXPECT violated: start
// EXPECT cut-by: first_leg
// EXPECT cut-by: last_leg
// EXPECT on: batons
// EXPECT line: start @out @first @last @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

static struct {
    pthread_mutex_t lock;
    int passed;
} batons[4] = {{.lock = PTHREAD_MUTEX_INITIALIZER},
               {.lock = PTHREAD_MUTEX_INITIALIZER},
               {.lock = PTHREAD_MUTEX_INITIALIZER},
               {.lock = PTHREAD_MUTEX_INITIALIZER}};

static inline __attribute__((always_inline)) void touch(int i) {
    pthread_mutex_lock(&batons[i].lock);
    batons[i].passed++;
    pthread_mutex_unlock(&batons[i].lock);
}

static BLOCK void start(void) {
    touch(0); // @out
    step(1);
    step(8);
#ifndef FIXED
    touch(3); // @in
#endif
}

static BLOCK void first_leg(void) {
    touch(0); // @first
    touch(1); // @first
}

static BLOCK void middle_leg(void) {
    touch(1);
    touch(2);
}

static BLOCK void last_leg(void) {
    touch(2); // @last
    touch(3); // @last
}

THREAD(starter) {
    start();
    return NULL;
}

THREAD(first) {
    step(2);
    first_leg();
    step(3);
    return NULL;
}

THREAD(middle) {
    step(4);
    middle_leg();
    step(5);
    return NULL;
}

THREAD(last) {
    step(6);
    last_leg();
    step(7);
    return NULL;
}

int main(void) {
    static void *(*const legs[])(void *) = {starter, first, middle, last};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        check(pthread_create(&threads[i], NULL, legs[i], NULL) == 0);
    for (int i = 0; i < 4; i++)
        check(pthread_join(threads[i], NULL) == 0);
    puts("ok");
    return 0;
}
