// `submit` looks whether the queue is still open and then enters the task. The worker closes the
// queue and empties it a last time in between: the task is never run, though it was accepted.
//
// EXPECT violated: submit
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

static pthread_mutex_t state_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static bool closed;
static int queued, executed, accepted;

static bool is_closed(void) {
    pthread_mutex_lock(&state_lock);
    bool result = closed;
    pthread_mutex_unlock(&state_lock);
    return result;
}

static bool submit(void) {
#ifdef FIXED
    pthread_mutex_lock(&queue_lock);
    bool open = !is_closed();
    if (open)
        queued++;
    pthread_mutex_unlock(&queue_lock);
    return open;
#else
    if (is_closed())
        return false;
    pthread_mutex_lock(&queue_lock); // @gap-before
    queued++;
    pthread_mutex_unlock(&queue_lock);
    return true;
#endif
}

static void close_and_drain(void) {
    pthread_mutex_lock(&queue_lock);
    pthread_mutex_lock(&state_lock);
    closed = true;
    pthread_mutex_unlock(&state_lock);
    executed += queued;
    queued = 0;
    pthread_mutex_unlock(&queue_lock);
}

static void *client(void *argument) {
    accepted += submit();
    return argument;
}

static void *worker(void *argument) {
    close_and_drain();
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, client, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts(accepted == executed ? "every task was run" : "a task was forgotten");
    return accepted != executed;
}
