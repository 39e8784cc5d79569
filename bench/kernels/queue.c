/* Producers and consumers with a bounded queue: mutex and condition variables. */
#include "kernel.h"

enum { ROOM = 64 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static long items[ROOM], count, put_at, take_at, rounds, sum;

static void put(long item) {
    pthread_mutex_lock(&lock);
    while (count == ROOM)
        pthread_cond_wait(&not_full, &lock);
    items[put_at++ % ROOM] = item;
    count++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static long take(void) {
    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&not_empty, &lock);
    long item = items[take_at++ % ROOM];
    count--;
    sum += item;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return item;
}

static void *work(void *number) {
    for (long i = 0; i < rounds; i++) {
        if ((intptr_t)number % 2)
            put(i);
        else
            take();
    }
    return NULL;
}

int main(int argc, char **argv) {
    rounds = 50000 * scale(argc, argv);
    run_threads(work);
    printf("%ld\n", sum);
}
