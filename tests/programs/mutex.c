// A counter is read in one critical section and written in the next: what another thread adds in
// between is lost. Every access is made under the lock, so there is no data race.
//
// EXPECT violated: increment
// EXPECT cut-by: increment
// EXPECT on: counter
// EXPECT line: increment @out @cut @in
// EXPECT runs: increment 1/2
// TWIN -DFIXED
// EXPECT-FIXED none
// EXPECT-FIXED runs: increment 0/2
#include "schedule.h"

static struct {
    pthread_mutex_t lock;
    int value;
} counter = {.lock = PTHREAD_MUTEX_INITIALIZER};

static BLOCK void increment(int slow) {
    pthread_mutex_lock(&counter.lock); // @cut
    int value = counter.value;         // @out @cut
    if (slow) {
#ifndef FIXED
        pthread_mutex_unlock(&counter.lock); // @out
#endif
        step(1);
        step(4);
#ifndef FIXED
        pthread_mutex_lock(&counter.lock); // @in
#endif
    }
    counter.value = value + 1;           // @cut @in
    pthread_mutex_unlock(&counter.lock); // @cut
}

THREAD(slow) {
    increment(1);
    return NULL;
}

THREAD(fast) {
    step(2);
    increment(0);
    step(3);
    return NULL;
}

int main(void) {
    together(slow, fast);
#ifdef FIXED
    check(counter.value == 2);
#else
    check(counter.value == 1);
#endif
    puts("ok");
    return 0;
}
