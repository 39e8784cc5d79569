// Phases between barriers. Without a specification a function is split at a barrier, so only what
// happens inside a phase can cut: here two critical sections of one phase.
//
// EXPECT violated: tally work
// EXPECT cut-by: tally
// EXPECT on: total
// EXPECT line: tally @out @cut @in
// EXPECT runs: work 1/2
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

static struct {
    pthread_mutex_t lock;
    int value;
} total = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_barrier_t barrier;
static int cells[2];

static BLOCK void tally(int amount, int slow) {
    pthread_mutex_lock(&total.lock); // @cut
    int value = total.value;         // @cut @out
    if (slow) {
#ifndef FIXED
        pthread_mutex_unlock(&total.lock); // @out
#endif
        step(1);
        step(4);
#ifndef FIXED
        pthread_mutex_lock(&total.lock); // @in
#endif
    }
    total.value = value + amount;      // @in @cut
    pthread_mutex_unlock(&total.lock); // @cut
}

static BLOCK void work(int me) {
    cells[me] = me + 1;
    pthread_barrier_wait(&barrier);
    int sum = cells[0] + cells[1];
    pthread_barrier_wait(&barrier);
    cells[me] = sum;
    if (me == 1)
        step(2);
    tally(sum, me == 0);
    if (me == 1)
        step(3);
    pthread_barrier_wait(&barrier);
    check(cells[1 - me] == 3);
}

THREAD(left) {
    work(0);
    return NULL;
}

THREAD(right) {
    work(1);
    return NULL;
}

int main(void) {
    check(pthread_barrier_init(&barrier, NULL, 2) == 0);
    together(left, right);
    pthread_barrier_destroy(&barrier);
    puts("ok");
    return 0;
}
