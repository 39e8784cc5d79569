// Only the outer function is cut: the inner ones are whole, and somebody comes in between two
// calls.
//
// EXPECT violated: outer
// EXPECT cut-by: disturb
// EXPECT on: cell
// EXPECT line: outer @out @cut @in
// EXPECT runs: inner 0/2
// EXPECT runs: middle 0/2
// EXPECT runs: outer 1/1
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

static struct {
    pthread_mutex_t lock;
    int value;
} cell = {.lock = PTHREAD_MUTEX_INITIALIZER};

static BLOCK void inner(void) {
#ifndef FIXED
    pthread_mutex_lock(&cell.lock); // @in
#endif
    cell.value++; // @in @out
#ifndef FIXED
    pthread_mutex_unlock(&cell.lock); // @out
#endif
}

static BLOCK void middle(void) {
    inner();
}

static BLOCK void outer(void) {
#ifdef FIXED
    pthread_mutex_lock(&cell.lock);
#endif
    middle();
    step(1);
    step(4);
    middle();
#ifdef FIXED
    pthread_mutex_unlock(&cell.lock);
#endif
}

static BLOCK void disturb(void) {
    pthread_mutex_lock(&cell.lock);   // @cut
    cell.value = 0;                   // @cut
    pthread_mutex_unlock(&cell.lock); // @cut
}

THREAD(worker) {
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
