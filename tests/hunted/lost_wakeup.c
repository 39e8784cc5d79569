// The flag is tested before the mutex is taken, and the thread waits without another look. If the
// flag is set and signalled in between, nobody wakes it up any more.
//
// EXPECT harm: deadlock
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int ready;
static int result;

static void wait_until_ready(void) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
    while (!atomic_load(&ready))
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
#else
    if (!atomic_load(&ready)) {
        pthread_mutex_lock(&lock); // @gap
        pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
    }
#endif
}

static void announce(void) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    atomic_store(&ready, 1);
    pthread_cond_signal(&changed);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
}

static void *compute(void *argument) {
    result = 42;
    announce();
    return argument;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, NULL, compute, NULL);
    wait_until_ready();
    printf("%d\n", result);
    pthread_join(worker, NULL);
    return 0;
}
