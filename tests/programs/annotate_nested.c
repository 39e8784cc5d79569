// Marked blocks in each other, and in a function: the inner ones are whole, what is around them is
// cut. A marked block is never split, not even by a condition wait. (Whether the function around it
// is split there all the same, so that they overlap, is left open.)
//
// EXPECT violated: outer waits twice
// EXPECT maybe: wait_open
// EXPECT on: cell
// EXPECT runs: outer 1/1
// EXPECT runs: inner 0/2
// TWIN -DFIXED
// EXPECT-FIXED none
// EXPECT-FIXED runs: inner 0/2
#include "schedule.h"

#include <seriatim/annotate.h>

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int value, open;
} cell = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static BLOCK void twice(void) {
#ifdef FIXED
    pthread_mutex_lock(&cell.lock);
#endif
    SERIATIM_ATOMIC_BEGIN("outer");
    for (int i = 0; i < 2; i++) {
        SERIATIM_ATOMIC_BEGIN("inner");
#ifndef FIXED
        pthread_mutex_lock(&cell.lock);
#endif
        cell.value++;
#ifndef FIXED
        pthread_mutex_unlock(&cell.lock);
#endif
        SERIATIM_ATOMIC_END();
        if (i == 0) {
            step(1);
            step(4);
        }
    }
    SERIATIM_ATOMIC_END();
#ifdef FIXED
    pthread_mutex_unlock(&cell.lock);
#endif
}

static BLOCK void wait_open(void) {
    pthread_mutex_lock(&cell.lock);
    step(5);
#ifndef FIXED
    SERIATIM_ATOMIC_BEGIN("waits");
#endif
    while (!cell.open)
        pthread_cond_wait(&cell.changed, &cell.lock);
#ifdef FIXED
    SERIATIM_ATOMIC_BEGIN("waits");
#endif
    cell.value = 0;
    SERIATIM_ATOMIC_END();
    pthread_mutex_unlock(&cell.lock);
}

static BLOCK void disturb(int open) {
    pthread_mutex_lock(&cell.lock);
    cell.value--;
    cell.open = open;
    pthread_cond_signal(&cell.changed);
    pthread_mutex_unlock(&cell.lock);
}

THREAD(worker) {
    twice();
    wait_open();
    return NULL;
}

THREAD(disturber) {
    step(2);
    disturb(0);
    step(3);
    schedule_step(6);
    disturb(1);
    return NULL;
}

int main(void) {
    together(worker, disturber);
    puts("ok");
    return 0;
}
