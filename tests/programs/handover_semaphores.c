// A bounded buffer with three semaphores: free places, full places, and one as a lock for the
// places taken. In the bug, the buffer is looked at and changed in two sections.
//
// EXPECT violated: take
// EXPECT cut-by: put
// EXPECT on: buffer
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <semaphore.h>

enum { PLACES = 4, ITEMS = 4 };

static struct {
    sem_t places, items, lock;
    int count, values[PLACES];
} buffer;

static BLOCK void put(int value) {
    sem_wait(&buffer.places);
    sem_wait(&buffer.lock);
    buffer.values[buffer.count++] = value;
    sem_post(&buffer.lock);
    sem_post(&buffer.items);
}

static BLOCK int take(int slow) {
    sem_wait(&buffer.items);
    sem_wait(&buffer.lock);
    int last = buffer.count - 1;
#ifndef FIXED
    sem_post(&buffer.lock);
    if (slow) {
        step(3);
        step(6);
    }
    sem_wait(&buffer.lock);
#endif
    (void)slow;
    buffer.count = last;
    int value = buffer.values[last];
    sem_post(&buffer.lock);
    sem_post(&buffer.places);
    return value;
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
    int sum = 0;
    step(2);
    sum += take(1);
    sum += take(0);
    return sum ? NULL : NULL;
}

int main(void) {
    sem_init(&buffer.places, 0, PLACES);
    sem_init(&buffer.items, 0, 0);
    sem_init(&buffer.lock, 0, 1);
    together(producer, consumer);
    puts("ok");
    return 0;
}
