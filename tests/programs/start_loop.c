// Everything happens in the functions that the threads start with, in a loop: each iteration is a
// block. In the twin, the other thread comes in between two iterations.
//
// EXPECT violated: one?iteration?of?the?loop?at?adder,*
// EXPECT cut-by: other
// EXPECT on: total
// EXPECT line: one?iteration* @out @cut @in
// EXPECT runs: one?iteration* 1/3
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

static struct {
    pthread_mutex_t lock;
    int value;
} total = {PTHREAD_MUTEX_INITIALIZER, 0};

/* What a compiler must not know: it would make two loops of one. */
static volatile int slow __attribute__((unused)) = 1;

THREAD(adder) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&total.lock);
        int old = total.value; // @out
#ifndef FIXED
        pthread_mutex_unlock(&total.lock);
        if (i == slow) {
            step(1);
            step(4);
        }
        pthread_mutex_lock(&total.lock);
#endif
        total.value = old + 1; // @in
        pthread_mutex_unlock(&total.lock);
#ifdef FIXED
        if (i == slow) {
            step(1);
            step(4);
        }
#endif
    }
    return NULL;
}

THREAD(other) {
    step(2);
    pthread_mutex_lock(&total.lock);
    total.value += 10; // @cut
    pthread_mutex_unlock(&total.lock);
    step(3);
    return NULL;
}

int main(void) {
    together(adder, other);
#ifdef FIXED
    check(total.value == 13);
#else
    check(total.value == 3);
#endif
    puts("ok");
    return 0;
}
