// Two loops, one after the other: iterations of both are blocks, and what happens between the loops
// is in none. The bug is in the second one; the twin is cut between the loops.
//
// EXPECT violated: one?iteration?of?the?loop?at?adder,*
// EXPECT cut-by: other
// EXPECT on: total
// EXPECT line: one?iteration* @out @cut @in
// EXPECT runs: one?iteration* 1/6
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

static struct {
    pthread_mutex_t lock;
    int value;
} total = {PTHREAD_MUTEX_INITIALIZER, 0};

/* What a compiler must not know: it would make two loops of one. */
static volatile int slow __attribute__((unused)) = 0;

THREAD(adder) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&total.lock);
        total.value++;
        pthread_mutex_unlock(&total.lock);
    }
#ifdef FIXED
    step(1);
    step(4);
#endif
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
        total.value = 2 * old; // @in
        pthread_mutex_unlock(&total.lock);
    }
    return NULL;
}

THREAD(other) {
    step(2);
    pthread_mutex_lock(&total.lock);
    total.value += 100; // @cut
    pthread_mutex_unlock(&total.lock);
    step(3);
    return NULL;
}

int main(void) {
    together(adder, other);
#ifdef FIXED
    check(total.value == 103 * 8);
#else
    check(total.value == 3 * 8);
#endif
    puts("ok");
    return 0;
}
