/* Threads that look again and again, without waiting, for what a child does: data in a pipe, its
 * end, a mutex that it has. How often they do so depends on how fast the child is; a replay must
 * count the same. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int data[2], more[2];
static pid_t child;
static pthread_mutex_t *mutex;
static atomic_int looked; /* by all */

static void *reads(void *argument) {
    int looks = 0;
    char byte;
    for (; read(data[0], &byte, 1) != 1; looked++)
        looks++;
    return (void *)(intptr_t)(looks + 0 * (argument != NULL));
}

static void *polls(void *argument) {
    int looks = 0;
    struct pollfd one = {.fd = more[0], .events = POLLIN};
    for (; poll(&one, 1, 0) == 0; looked++)
        looks++;
    return (void *)(intptr_t)(looks + 0 * (argument != NULL));
}

static void *tries(void *argument) {
    int looks = 0;
    for (; pthread_mutex_trylock(mutex) == EBUSY; looked++)
        looks++;
    pthread_mutex_unlock(mutex);
    return (void *)(intptr_t)(looks + 0 * (argument != NULL));
}

static void *asks(void *argument) {
    int looks = 0, status;
    for (; waitpid(child, &status, WNOHANG) == 0; looked++)
        looks++;
    return (void *)(intptr_t)(looks + 0 * (argument != NULL));
}

/* It is not controlled, and its time is real. */
static void be_child(void) {
    static const struct timespec moment = {.tv_nsec = 3 * 1000 * 1000};
    for (int i = 0; i < 2; i++) {
        nanosleep(&moment, NULL);
        if (write(i ? more[1] : data[1], "x", 1) != 1)
            abort();
    }
    nanosleep(&moment, NULL);
    pthread_mutex_unlock(mutex);
    nanosleep(&moment, NULL);
    _exit(0);
}

static void make_mutex(void) {
    pthread_mutexattr_t shared;
    mutex = mmap(NULL, sizeof *mutex, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_init(&shared);
    pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(mutex, &shared);
}

static void start_child(void) {
    int locked[2];
    char byte;
    if (pipe2(data, O_NONBLOCK) || pipe(more) || pipe(locked))
        abort();
    child = fork();
    if (child == 0) {
        pthread_mutex_lock(mutex);
        if (write(locked[1], "x", 1) != 1)
            abort();
        be_child();
    }
    if (read(locked[0], &byte, 1) != 1)
        abort();
}

int main(void) {
    static void *(*const functions[])(void *) = {reads, polls, tries, asks};
    pthread_t threads[4];
    void *looks;
    make_mutex();
    start_child();
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, functions[i], NULL);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], &looks);
        printf("%d ", (int)(intptr_t)looks);
    }
    printf("of %d\n", looked);
}
