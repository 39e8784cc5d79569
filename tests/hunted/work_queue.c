// Workers stop when the queue is empty. One sees a task, another one takes it, and the first waits
// for a task that will never come.
//
// EXPECT violated: run_next
// EXPECT harm: deadlock
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int tasks = 3, executed;

#ifndef FIXED
static bool is_empty(void) {
    pthread_mutex_lock(&lock);
    bool empty = tasks == 0;
    pthread_mutex_unlock(&lock);
    return empty;
}

static void pop(void) {
    pthread_mutex_lock(&lock);
    while (tasks == 0)
        pthread_cond_wait(&filled, &lock);
    tasks--;
    executed++;
    pthread_mutex_unlock(&lock);
}
#endif

static bool run_next(void) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
    bool empty = tasks == 0;
    if (!empty) {
        tasks--;
        executed++;
    }
    pthread_mutex_unlock(&lock);
    return !empty;
#else
    if (is_empty())
        return false;
    pop(); // @gap-before
    return true;
#endif
}

static void *worker(void *argument) {
    while (run_next())
        ;
    return argument;
}

int main(void) {
    pthread_t a, b;
    (void)filled;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d tasks\n", executed);
    return 0;
}
