// The inner function is cut, and with it every function around it, in both of its calls.
//
// EXPECT violated: inner middle outer
// EXPECT cut-by: disturb
// EXPECT on: cell
// EXPECT line: inner @out @cut @in
// EXPECT line: outer @out @cut @in
// EXPECT runs: inner 1/2
// EXPECT runs: middle 1/1
// EXPECT runs: outer 1/1
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

static struct {
    pthread_mutex_t lock;
    int value;
} cell = {.lock = PTHREAD_MUTEX_INITIALIZER};

static BLOCK void inner(int slow) {
    pthread_mutex_lock(&cell.lock);
    cell.value++; // @out
    if (slow) {
#ifndef FIXED
        pthread_mutex_unlock(&cell.lock); // @out
#endif
        step(1);
        step(4);
#ifndef FIXED
        pthread_mutex_lock(&cell.lock); // @in
#endif
    }
    cell.value++; // @in
    pthread_mutex_unlock(&cell.lock);
}

static BLOCK void middle(void) {
    inner(1);
}

static BLOCK void outer(void) {
    middle();
}

static BLOCK void disturb(void) {
    pthread_mutex_lock(&cell.lock);   // @cut
    cell.value = 0;                   // @cut
    pthread_mutex_unlock(&cell.lock); // @cut
}

THREAD(worker) {
    inner(0);
    outer();
    return NULL;
}

THREAD(disturber) {
    step(2);
    disturb();
    step(3);
    return NULL;
}

int main(void) {
    together(worker, disturber);
    puts("ok");
    return 0;
}
