/* Kinds of locks and waits that are used less often: each ends in the same way in every schedule.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

static void check(int good, int line) {
    if (!good) {
        fprintf(stderr, "line %d\n", line);
        abort();
    }
}
#define CHECK(condition) check(condition, __LINE__)

static struct timespec in(clockid_t clock, int seconds) {
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_sec += seconds;
    return time;
}

static pthread_mutex_t robust, recursive, checking, plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static mtx_t mutex;
static cnd_t changed;
static int ready;

static void *dies_with_it(void *argument) {
    pthread_mutex_lock(&robust);
    return argument;
}

static void take_robust(void) {
    int result = pthread_mutex_lock(&robust);
    if (result == EOWNERDEAD)
        CHECK(pthread_mutex_consistent(&robust) == 0);
    else
        CHECK(result == 0);
    CHECK(pthread_mutex_unlock(&robust) == 0);
}

static void *uses_all(void *argument) {
    struct timespec soon = in(CLOCK_MONOTONIC, 50), date = in(CLOCK_REALTIME, 50);
    int result;
    take_robust();
    CHECK(pthread_mutex_lock(&recursive) == 0 && pthread_mutex_trylock(&recursive) == 0);
    CHECK(pthread_mutex_unlock(&recursive) == 0 && pthread_mutex_unlock(&recursive) == 0);
    CHECK(pthread_mutex_lock(&checking) == 0 && pthread_mutex_lock(&checking) == EDEADLK);
    CHECK(pthread_mutex_unlock(&checking) == 0);
    /* Time may pass for a thread that is slow. */
    while ((result = pthread_mutex_clocklock(&plain, CLOCK_MONOTONIC, &soon)) == ETIMEDOUT)
        ;
    CHECK(result == 0 && pthread_mutex_unlock(&plain) == 0);
    while ((result = pthread_rwlock_timedrdlock(&rwlock, &date)) == ETIMEDOUT)
        ;
    CHECK(result == 0 && pthread_rwlock_unlock(&rwlock) == 0);
    while ((result = pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &soon)) == ETIMEDOUT)
        ;
    CHECK(result == 0 && pthread_rwlock_unlock(&rwlock) == 0);
    CHECK(pthread_spin_lock(&spin) == 0);
    CHECK(pthread_spin_unlock(&spin) == 0);
    CHECK(mtx_lock(&mutex) == thrd_success);
    ready++;
    CHECK(cnd_broadcast(&changed) == thrd_success && mtx_unlock(&mutex) == thrd_success);
    return argument;
}

static void *never_ends(void *argument) {
    pthread_mutex_lock(&plain);
    while (ready >= 0)
        pthread_cond_wait(&condition, &plain);
    pthread_mutex_unlock(&plain);
    return argument;
}

static void *holds(void *argument) {
    struct timespec past = in(CLOCK_REALTIME, 1);
    CHECK(pthread_mutex_timedlock(&plain, &past) == ETIMEDOUT);
    CHECK(pthread_mutex_clocklock(&plain, CLOCK_MONOTONIC, &(struct timespec){0}) == ETIMEDOUT);
    CHECK(pthread_rwlock_timedwrlock(&rwlock, &past) == ETIMEDOUT);
    CHECK(pthread_spin_trylock(&spin) == EBUSY);
    CHECK(mtx_timedlock(&mutex, &past) == thrd_timedout);
    return argument;
}

static pthread_mutex_t made(int type, int robustness) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t result;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutexattr_setrobust(&attributes, robustness);
    pthread_mutex_init(&result, &attributes);
    return result;
}

static void time_out(void) {
    struct timespec soon = in(CLOCK_MONOTONIC, 5), date = in(CLOCK_REALTIME, 500);
    pthread_mutex_lock(&plain);
    CHECK(pthread_cond_clockwait(&condition, &plain, CLOCK_MONOTONIC, &soon) == ETIMEDOUT);
    pthread_mutex_unlock(&plain);
    mtx_lock(&mutex);
    while (ready < 2)
        CHECK(cnd_wait(&changed, &mutex) == thrd_success);
    CHECK(cnd_timedwait(&changed, &mutex, &date) == thrd_timedout);
    mtx_unlock(&mutex);
}

int main(void) {
    pthread_t dead, users[2], waiter, holder;
    robust = made(PTHREAD_MUTEX_DEFAULT, PTHREAD_MUTEX_ROBUST);
    recursive = made(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
    checking = made(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
    pthread_spin_init(&spin, 0);
    mtx_init(&mutex, mtx_timed);
    cnd_init(&changed);
    pthread_create(&dead, NULL, dies_with_it, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&users[i], NULL, uses_all, NULL);
    time_out();
    for (int i = 0; i < 2; i++)
        pthread_join(users[i], NULL);
    pthread_join(dead, NULL);
    take_robust();
    pthread_create(&waiter, NULL, never_ends, NULL);
    struct timespec soon = in(CLOCK_REALTIME, 5), later = in(CLOCK_MONOTONIC, 50);
    CHECK(pthread_tryjoin_np(waiter, NULL) == EBUSY);
    CHECK(pthread_timedjoin_np(waiter, NULL, &soon) == ETIMEDOUT);
    pthread_mutex_lock(&plain);
    ready = -1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&plain);
    while (pthread_clockjoin_np(waiter, NULL, CLOCK_MONOTONIC, &later) == ETIMEDOUT)
        ;
    pthread_mutex_lock(&plain);
    pthread_rwlock_rdlock(&rwlock);
    pthread_spin_lock(&spin);
    mtx_lock(&mutex);
    pthread_create(&holder, NULL, holds, NULL);
    pthread_join(holder, NULL);
    puts("all");
    return 0;
}
