// Slots for pointers: semaphores count the free and the filled ones, and a mutex guards the
// indices. In the bug, a slot is filled in one section, and the index moves in the next, so that
// two producers fill the same one.
//
// SPEC atomic function put
// SPEC atomic function take
// SPEC atomic function use
// EXPECT violated: put
// EXPECT cut-by: put
// EXPECT on: slots
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <semaphore.h>
#include <stdlib.h>

enum { ROOM = 4 };

static struct {
    pthread_mutex_t lock;
    sem_t empty, full;
    int *values[ROOM];
    unsigned in, out;
} slots = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void be_slow(int slow) {
    if (slow) {
        step(2);
        step(5);
    }
}

static BLOCK void put(int value, int slow) {
    int *memory = malloc(2 * sizeof *memory);
    memory[0] = value;
    memory[1] = -value;
    sem_wait(&slots.empty);
    pthread_mutex_lock(&slots.lock);
    slots.values[slots.in % ROOM] = memory;
#ifndef FIXED
    pthread_mutex_unlock(&slots.lock);
    be_slow(slow);
    pthread_mutex_lock(&slots.lock);
#endif
    slots.in++;
    pthread_mutex_unlock(&slots.lock);
    sem_post(&slots.full);
#ifdef FIXED
    be_slow(slow);
#endif
}

static BLOCK int *take(void) {
    sem_wait(&slots.full);
    pthread_mutex_lock(&slots.lock);
    int *memory = slots.values[slots.out % ROOM];
    slots.values[slots.out++ % ROOM] = NULL;
    pthread_mutex_unlock(&slots.lock);
    sem_post(&slots.empty);
    return memory;
}

static BLOCK int use(int *memory) {
    if (!memory)
        return 0;
    memory[0]++;
    int value = memory[0] + memory[1];
    free(memory);
    return value;
}

THREAD(producer) {
    step(1);
    put(1, 1);
    step(6);
    return NULL;
}

THREAD(both) {
    step(3);
    put(2, 0);
    step(4);
    step(7);
    int sum = use(take());
    sum += use(take());
    return sum ? NULL : NULL;
}

int main(void) {
    check(sem_init(&slots.empty, 0, ROOM) == 0);
    check(sem_init(&slots.full, 0, 0) == 0);
    together(producer, both);
    puts("ok");
    return 0;
}
