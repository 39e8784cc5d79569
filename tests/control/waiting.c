/* Threads that sleep for minutes, spin, poll the clock, wait with a deadline, and read from a pipe:
 * in a controlled run that takes no time, and ends the same way in every schedule. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static atomic_int awake;
static volatile int late;
static int ends[2], timed_out, bytes;

static void *sleeper(void *argument) {
    for (int i = 0; i < 5; i++)
        sleep(100);
    atomic_store(&awake, 1);
    return argument;
}

static void *spins_on_an_atomic(void *argument) {
    while (!atomic_load(&awake))
        ;
    return argument;
}

static void *polls_the_clock(void *argument) {
    time_t begin = time(NULL);
    while (time(NULL) < begin + 30)
        ;
    late = 1;
    return argument;
}

static void *spins_on_a_variable(void *argument) {
    while (!late)
        ;
    return argument;
}

static void *waits_in_vain(void *argument) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 50;
    pthread_mutex_lock(&mutex);
    while (!timed_out)
        timed_out = pthread_cond_timedwait(&condition, &mutex, &until) == ETIMEDOUT;
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void *reads(void *argument) {
    char byte;
    while (bytes < 3)
        bytes += read(ends[0], &byte, 1) == 1;
    return argument;
}

static void *writes(void *argument) {
    for (int i = 0; i < 3; i++) {
        usleep(1000);
        if (write(ends[1], "x", 1) != 1)
            return NULL;
    }
    return argument;
}

int main(void) {
    void *(*const routines[])(void *) = {
        sleeper, spins_on_an_atomic, polls_the_clock, spins_on_a_variable, waits_in_vain, reads,
        writes};
    enum { COUNT = sizeof routines / sizeof *routines };
    pthread_t threads[COUNT];
    if (pipe(ends) < 0)
        return 2;
    for (int i = 0; i < COUNT; i++)
        pthread_create(&threads[i], NULL, routines[i], NULL);
    for (int i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);
    printf("timed out %d, bytes %d\n", timed_out, bytes);
    return 0;
}
