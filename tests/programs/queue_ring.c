// A bounded ring under a mutex, with a condition for each side. In the bug, the consumer looks
// whether there is an item in one section, and takes it in the next.
//
// SPEC atomic function put
// SPEC atomic function take
// EXPECT violated: take
// EXPECT cut-by: put
// EXPECT on: ring
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

enum { ROOM = 4 };

struct item {
    int number, square;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t not_full, not_empty;
    struct item items[ROOM];
    unsigned head, count;
} ring = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .not_full = PTHREAD_COND_INITIALIZER,
          .not_empty = PTHREAD_COND_INITIALIZER};

static BLOCK void put(int number) {
    pthread_mutex_lock(&ring.lock);
    while (ring.count == ROOM)
        pthread_cond_wait(&ring.not_full, &ring.lock);
    ring.items[(ring.head + ring.count) % ROOM] = (struct item){number, number * number};
    ring.count++;
    pthread_cond_signal(&ring.not_empty);
    pthread_mutex_unlock(&ring.lock);
}

static void be_slow(int slow) {
    if (slow) {
        step(4);
        step(7);
    }
}

static BLOCK struct item take(int slow) {
    pthread_mutex_lock(&ring.lock);
    while (ring.count == 0)
        pthread_cond_wait(&ring.not_empty, &ring.lock);
#ifndef FIXED
    pthread_mutex_unlock(&ring.lock);
    be_slow(slow);
    pthread_mutex_lock(&ring.lock);
#endif
    struct item item = ring.items[ring.head];
    ring.head = (ring.head + 1) % ROOM;
    ring.count--;
    pthread_cond_signal(&ring.not_full);
    pthread_mutex_unlock(&ring.lock);
#ifdef FIXED
    be_slow(slow);
#endif
    return item;
}

THREAD(producer) {
    step(1);
    put(1);
    put(2);
    step(2);
    step(5);
    put(3);
    step(6);
    return NULL;
}

THREAD(consumer) {
    step(3);
    int sum = take(1).square;
    sum += take(0).square;
    sum += take(0).square;
    check(sum == 14);
    return NULL;
}

int main(void) {
    together(producer, consumer);
    puts("ok");
    return 0;
}
