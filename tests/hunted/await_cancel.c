// A client waits for an answer for a while. If there is none, it cancels the request, in another
// critical section: the answer may come in between, and the request is both answered and cancelled.
// It takes a timeout that is up although the answer is near.
//
// EXPECT cycle: await_or_cancel answer
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

enum { SECOND = 1000 * 1000 * 1000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool answered, cancelled;

/* With the lock. */
static void await(void) {
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_nsec += 20 * 1000 * 1000;
    deadline.tv_sec += deadline.tv_nsec / SECOND;
    deadline.tv_nsec %= SECOND;
    int result = 0;
    while (!answered && result == 0)
        result = pthread_cond_timedwait(&changed, &lock, &deadline);
}

static void await_or_cancel(void) {
    pthread_mutex_lock(&lock);
    await();
    bool in_time = answered;
#ifndef FIXED
    pthread_mutex_unlock(&lock); // @gap
    pthread_mutex_lock(&lock);
#endif
    if (!in_time)
        cancelled = true;
    pthread_mutex_unlock(&lock);
}

static void answer(void) {
    pthread_mutex_lock(&lock);
    if (!cancelled)
        answered = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void *client(void *argument) {
    await_or_cancel();
    return argument;
}

static void *server(void *argument) {
    answer();
    return argument;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, client, NULL);
    pthread_create(&threads[1], NULL, server, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    puts(answered && cancelled ? "answered and cancelled" : "one of them");
    return answered && cancelled;
}
