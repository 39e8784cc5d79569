/* Threads that are cancelled where they wait, and one that gets a signal there. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t never, handled;
static int cleaned;

static void clean(void *unused) {
    (void)unused;
    cleaned++;
    pthread_mutex_unlock(&mutex);
}

static void *at_a_condition(void *argument) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(clean, NULL);
    for (;;)
        pthread_cond_wait(&condition, &mutex);
    pthread_cleanup_pop(1);
    return argument;
}

static void *at_a_semaphore(void *argument) {
    while (sem_wait(&never) == 0)
        ;
    return argument;
}

static void *asleep(void *argument) {
    for (;;)
        sleep(1000);
    return argument;
}

static void handle(int number) {
    (void)number;
    sem_post(&handled);
}

/* Until it was interrupted. */
static void *signalled(void *argument) {
    while (sem_trywait(&handled) < 0)
        sem_wait(&never);
    return argument;
}

int main(void) {
    void *(*const routines[])(void *) = {at_a_condition, at_a_semaphore, asleep};
    pthread_t threads[3], other;
    struct sigaction action = {.sa_handler = handle};
    sem_init(&never, 0, 0);
    sem_init(&handled, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, routines[i], NULL);
    pthread_create(&other, NULL, signalled, NULL);
    pthread_kill(other, SIGUSR1);
    sem_post(&never); /* if the signal came before it waited */
    pthread_join(other, NULL);
    int cancelled = 0;
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_cancel(threads[i]);
        pthread_join(threads[i], &result);
        cancelled += result == PTHREAD_CANCELED;
    }
    printf("cancelled %d\n", cancelled);
    return 0;
}
