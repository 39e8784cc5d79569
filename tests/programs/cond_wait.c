// A block that was said to be atomic waits for a condition: whoever makes it true comes in between.
// In the twin the caller waits, and the block only takes.
//
// SPEC atomic function take
// EXPECT violated: take
// EXPECT cut-by: put
// EXPECT on: slot
// EXPECT line: take @wait @cut
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

static struct {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    int full, item;
} slot = {.lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER};

static BLOCK void await(void) {
    while (!slot.full)
        pthread_cond_wait(&slot.filled, &slot.lock); // @wait
}

static BLOCK int take(void) {
#ifndef FIXED
    await(); // @wait
#endif
    slot.full = 0;
    return slot.item;
}

static BLOCK void put(int item) {
    pthread_mutex_lock(&slot.lock);    // @cut
    slot.item = item;                  // @cut
    slot.full = 1;                     // @cut
    pthread_cond_signal(&slot.filled); // @cut
    pthread_mutex_unlock(&slot.lock);  // @cut
}

THREAD(consumer) {
    pthread_mutex_lock(&slot.lock);
    step(1);
#ifdef FIXED
    await();
#endif
    check(take() == 5);
    pthread_mutex_unlock(&slot.lock);
    return NULL;
}

THREAD(producer) {
    step(2);
    put(5);
    return NULL;
}

int main(void) {
    together(consumer, producer);
    puts("ok");
    return 0;
}
