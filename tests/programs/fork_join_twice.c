// Without a specification, a function that starts a thread and joins it is split there. What lies
// between the two is one piece, and it is cut if the thread comes in.
//
// EXPECT violated: overlap
// EXPECT cut-by: bump
// EXPECT on: shared
// EXPECT line: overlap @out @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

static struct {
    pthread_mutex_t lock;
    int value;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

static BLOCK void bump(void) {
    pthread_mutex_lock(&shared.lock);
    shared.value++;
    pthread_mutex_unlock(&shared.lock);
}

THREAD(helper) {
    step(2);
    bump();
    step(3);
    return NULL;
}

static BLOCK void overlap(void) {
    pthread_t thread;
    check(pthread_create(&thread, NULL, helper, NULL) == 0);
    pthread_mutex_lock(&shared.lock);
    shared.value *= 2; // @out
#ifndef FIXED
    pthread_mutex_unlock(&shared.lock); // @out
#endif
    step(1);
    step(4);
#ifndef FIXED
    pthread_mutex_lock(&shared.lock); // @in
#endif
    shared.value *= 2; // @in
    pthread_mutex_unlock(&shared.lock);
    check(pthread_join(thread, NULL) == 0);
}

int main(void) {
    overlap();
    puts("ok");
    return 0;
}
