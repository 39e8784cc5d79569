// Without a specification a function is split where it waits: what is cut is the part before or the
// part behind the wait, never the two together. Here the part behind it takes the lock twice.
//
// EXPECT violated: consume
// EXPECT cut-by: refill
// EXPECT on: box
// EXPECT line: consume @out @cut @in
// EXPECT runs: consume 1/1
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int items, open;
} box = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static BLOCK void consume(void) {
    pthread_mutex_lock(&box.lock);
    step(1);
    while (!box.open)
        pthread_cond_wait(&box.changed, &box.lock);
    int items = box.items; // @out
#ifndef FIXED
    pthread_mutex_unlock(&box.lock); // @out
#endif
    step(3);
    step(6);
#ifndef FIXED
    pthread_mutex_lock(&box.lock); // @in
#endif
    box.items = items - 1; // @in
    pthread_mutex_unlock(&box.lock);
}

static BLOCK void refill(int items) {
    pthread_mutex_lock(&box.lock); // @cut
    box.items += items;            // @cut
    box.open = 1;
    pthread_cond_broadcast(&box.changed);
    pthread_mutex_unlock(&box.lock); // @cut
}

THREAD(consumer) {
    consume();
    return NULL;
}

THREAD(supplier) {
    step(2);
    refill(1);
    step(4);
    refill(1);
    step(5);
    return NULL;
}

int main(void) {
    together(consumer, supplier);
#ifdef FIXED
    check(box.items == 1);
#else
    check(box.items == 0);
#endif
    puts("ok");
    return 0;
}
