// A thread waits for a condition, and handles a signal meanwhile. Whoever sent the signal learns
// that, and then wakes the thread. A function that waits is split there, and what the handler does
// is neither with what comes before the wait nor with what comes after it.
//
// EXPECT none
#include "schedule.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>

static struct {
    pthread_mutex_t lock;
    pthread_cond_t ready;
    int waiting, done;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .ready = PTHREAD_COND_INITIALIZER};
static sem_t handled;
static pthread_t waiting_thread;

static void on_signal(int signal) {
    (void)signal;
    check(sem_post(&handled) == 0);
}

static BLOCK void wait_until_done(void) {
    pthread_mutex_lock(&queue.lock);
    queue.waiting = 1;
    step(1);
    while (!queue.done)
        pthread_cond_wait(&queue.ready, &queue.lock);
    pthread_mutex_unlock(&queue.lock);
}

/* Who gets the lock comes after the thread has begun to wait. */
static BLOCK void send_signal(void) {
    pthread_mutex_lock(&queue.lock);
    check(queue.waiting == 1);
    check(pthread_kill(waiting_thread, SIGUSR1) == 0);
    pthread_mutex_unlock(&queue.lock);
}

static BLOCK void wait_for_handler(void) {
    while (sem_wait(&handled))
        check(errno == EINTR);
}

static BLOCK void finish(void) {
    pthread_mutex_lock(&queue.lock);
    queue.done = 1;
    pthread_cond_signal(&queue.ready);
    pthread_mutex_unlock(&queue.lock);
}

THREAD(waiter) {
    waiting_thread = pthread_self();
    wait_until_done();
    return NULL;
}

THREAD(waker) {
    step(2);
    send_signal();
    wait_for_handler();
    finish();
    return NULL;
}

int main(void) {
    struct sigaction action = {.sa_handler = on_signal};
    check(sigaction(SIGUSR1, &action, NULL) == 0);
    check(sem_init(&handled, 0, 0) == 0);
    together(waiter, waker);
    puts("ok");
    return 0;
}
