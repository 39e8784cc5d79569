// Threads count in slots of their own, and a collector adds up what is there and resets it, in two
// critical sections. What is counted in between is lost.
//
// EXPECT violated: collect
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>

struct slot {
    pthread_mutex_t lock;
    int pending;
};

static struct slot slots[2] = {{PTHREAD_MUTEX_INITIALIZER, 3}, {PTHREAD_MUTEX_INITIALIZER, 0}};
static int total;

static void count(struct slot *slot) {
    pthread_mutex_lock(&slot->lock);
    slot->pending++;
    pthread_mutex_unlock(&slot->lock);
}

static int collect(struct slot *slot) {
    pthread_mutex_lock(&slot->lock);
    int pending = slot->pending;
#ifndef FIXED
    pthread_mutex_unlock(&slot->lock);
    total += pending; // @gap
    pthread_mutex_lock(&slot->lock);
#else
    total += pending;
#endif
    slot->pending = 0;
    pthread_mutex_unlock(&slot->lock);
    return pending;
}

static void *worker(void *argument) {
    count(argument);
    count(argument);
    return NULL;
}

static void *collector(void *argument) {
    collect(&slots[0]);
    collect(&slots[1]);
    return argument;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, collector, NULL);
    pthread_create(&threads[1], NULL, worker, &slots[0]);
    pthread_create(&threads[2], NULL, worker, &slots[1]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    total += slots[0].pending + slots[1].pending;
    printf("%d\n", total);
    return total != 7;
}
