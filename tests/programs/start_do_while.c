// A do-while loop with a second way out in its middle: each iteration is a block.
//
// EXPECT violated: one?iteration?of?the?loop?at?adder,*
// EXPECT cut-by: other
// EXPECT on: total
// EXPECT line: one?iteration* @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

static struct {
    pthread_mutex_t lock;
    int value;
} total = {PTHREAD_MUTEX_INITIALIZER, 0};

/* What a compiler must not know: it would make two loops of one. */
static volatile int slow __attribute__((unused)) = 20;

THREAD(adder) {
    int round = 0;
    do {
        pthread_mutex_lock(&total.lock);
        int old = total.value; // @out
#ifndef FIXED
        pthread_mutex_unlock(&total.lock);
        if (round == slow) {
            step(1);
            step(4);
        }
        pthread_mutex_lock(&total.lock);
#endif
        total.value = old + 1; // @in
        pthread_mutex_unlock(&total.lock);
        if (round == 50)
            break;
#ifdef FIXED
        if (round == slow) {
            step(1);
            step(4);
        }
#endif
    } while (round++ < 100);
    return NULL;
}

THREAD(other) {
    step(2);
    pthread_mutex_lock(&total.lock);
    total.value += 1000; // @cut
    pthread_mutex_unlock(&total.lock);
    step(3);
    return NULL;
}

int main(void) {
    together(adder, other);
#ifdef FIXED
    check(total.value == 1051);
#else
    check(total.value == 51);
#endif
    puts("ok");
    return 0;
}
