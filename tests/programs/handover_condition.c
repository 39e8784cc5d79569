// A queue under a mutex, with a condition for its consumer. In the bug, the consumer lets go of the
// mutex between looking and taking.
//
// EXPECT violated: take
// EXPECT cut-by: put
// EXPECT on: queue
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

enum { ITEMS = 8 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    int first, end, values[ITEMS];
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER};

static BLOCK void put(int value) {
    pthread_mutex_lock(&queue.lock);
    queue.values[queue.end++] = value;
    pthread_cond_signal(&queue.filled);
    pthread_mutex_unlock(&queue.lock);
}

static BLOCK int take(int slow) {
    pthread_mutex_lock(&queue.lock);
    while (queue.first == queue.end)
        pthread_cond_wait(&queue.filled, &queue.lock);
    int left = queue.end - queue.first;
#ifndef FIXED
    pthread_mutex_unlock(&queue.lock);
    if (slow) {
        step(3);
        step(6);
    }
    pthread_mutex_lock(&queue.lock);
#endif
    (void)slow;
    int value = queue.values[queue.first++];
    int rest = queue.end - queue.first;
    pthread_mutex_unlock(&queue.lock);
    return value * (rest == left - 1);
}

THREAD(producer) {
    put(1);
    step(1);
    step(4);
    put(2);
    put(3);
    step(5);
    return NULL;
}

THREAD(consumer) {
    step(2);
    int sum = take(1);
    sum += take(0);
    sum += take(0);
    return sum ? NULL : NULL;
}

int main(void) {
    together(producer, consumer);
    puts("ok");
    return 0;
}
