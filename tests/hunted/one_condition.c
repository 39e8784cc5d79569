// Producers and consumers wait for the same condition, and one of them is woken up. If it is one
// who cannot do anything, nobody ever goes on.
//
// EXPECT harm: deadlock
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full, sum;

static void wake_up(void) {
#ifdef FIXED
    pthread_cond_broadcast(&changed);
#else
    pthread_cond_signal(&changed);
#endif
}

static void put(void) {
    pthread_mutex_lock(&lock);
    while (full)
        pthread_cond_wait(&changed, &lock);
    full = 1;
    wake_up();
    pthread_mutex_unlock(&lock);
}

static void get(void) {
    pthread_mutex_lock(&lock);
    while (!full)
        pthread_cond_wait(&changed, &lock);
    full = 0;
    sum++;
    wake_up();
    pthread_mutex_unlock(&lock);
}

static void *producer(void *argument) {
    put(); // @gap-before
    put();
    return argument;
}

static void *consumer(void *argument) {
    get();
    return argument;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, producer, NULL);
    pthread_create(&threads[1], NULL, consumer, NULL);
    pthread_create(&threads[2], NULL, consumer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", sum);
    return 0;
}
