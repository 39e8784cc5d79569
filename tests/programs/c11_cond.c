// threads.h: a block that was said to be atomic waits on a cnd_t. The twin waits before it.
//
// SPEC atomic function take
// EXPECT violated: take
// EXPECT cut-by: put
// EXPECT on: slot
// EXPECT line: take @wait @cut
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <threads.h>

static struct {
    mtx_t lock;
    cnd_t filled;
    int full, item;
} slot;

static BLOCK void await(void) {
    while (!slot.full)
        cnd_wait(&slot.filled, &slot.lock); // @wait
}

static BLOCK int take(void) {
#ifndef FIXED
    await(); // @wait
#endif
    slot.full = 0;
    return slot.item;
}

static BLOCK void put(int item) {
    mtx_lock(&slot.lock);     // @cut
    slot.item = item;         // @cut
    slot.full = 1;            // @cut
    cnd_signal(&slot.filled); // @cut
    mtx_unlock(&slot.lock);   // @cut
}

static int consumer(void *argument) {
    (void)argument;
    mtx_lock(&slot.lock);
    step(1);
#ifdef FIXED
    await();
#endif
    int item = take();
    mtx_unlock(&slot.lock);
    return item;
}

static int producer(void *argument) {
    (void)argument;
    step(2);
    put(5);
    return 0;
}

int main(void) {
    thrd_t one, two;
    int item;
    check(mtx_init(&slot.lock, mtx_plain) == thrd_success);
    check(cnd_init(&slot.filled) == thrd_success);
    check(thrd_create(&one, consumer, NULL) == thrd_success);
    check(thrd_create(&two, producer, NULL) == thrd_success);
    check(thrd_join(one, &item) == thrd_success && item == 5);
    check(thrd_join(two, NULL) == thrd_success);
    cnd_destroy(&slot.filled);
    mtx_destroy(&slot.lock);
    puts("ok");
    return 0;
}
