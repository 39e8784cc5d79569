// A marked scope ends with its brace, however it is left. What happens behind it does not cut it.
//
// EXPECT violated: whole
// EXPECT cut-by: disturb
// EXPECT on: cell
// EXPECT runs: whole 1/1
// EXPECT runs: early 0/2
// EXPECT runs: loop 0/2
// TWIN -DFIXED
// EXPECT-FIXED none
// EXPECT-FIXED runs: whole 0/1
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <seriatim/annotate.h>

static struct {
    pthread_mutex_t lock;
    int value;
} cell = {.lock = PTHREAD_MUTEX_INITIALIZER};

static inline __attribute__((always_inline)) int add(int amount) {
    pthread_mutex_lock(&cell.lock);
    int value = cell.value += amount;
    pthread_mutex_unlock(&cell.lock);
    return value;
}

/* Left by return, from inside of the scope. */
static BLOCK int leave_early(int amount) {
    SERIATIM_ATOMIC_SCOPE("early");
    if (add(amount) > 100)
        return 1;
    return 0;
}

THREAD(worker) {
    check(leave_early(5) == 0);
    step(1);
    step(4);
    check(leave_early(200) == 1);

    /* Volatile, so that the compiler does not unroll it: worker is to have a loop. */
    for (volatile int i = 0; i < 5; i++) {
        SERIATIM_ATOMIC_SCOPE("loop");
        add(1);
        if (i == 1)
            break;
    }
    step(5);
    step(8);
    add(1);

#ifdef FIXED
    add(1);
#endif
    {
        SERIATIM_ATOMIC_SCOPE("whole");
#ifndef FIXED
        add(1);
#endif
        step(9);
        step(12);
        add(1);
    }
    return NULL;
}

static BLOCK void disturb(void) {
    add(1);
}

THREAD(disturber) {
    for (int i = 0; i < 3; i++) {
        step(4 * i + 2);
        disturb();
        step(4 * i + 3);
    }
    return NULL;
}

int main(void) {
    together(worker, disturber);
    puts("ok");
    return 0;
}
