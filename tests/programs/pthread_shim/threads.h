/* C11's threads.h on top of pthreads, for ThreadSanitizer only: gcc's version of it knows pthreads
 * and not C11 threads, and takes what they keep in order for data races. check-race-free uses it;
 * seriatim is tested with the real one. */
#ifndef SHIM_THREADS_H
#define SHIM_THREADS_H

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

typedef pthread_t thrd_t;
typedef pthread_mutex_t mtx_t;
typedef pthread_cond_t cnd_t;
typedef pthread_once_t once_flag;

enum { thrd_success, thrd_busy, thrd_error, thrd_nomem, thrd_timedout };
enum { mtx_plain = 0, mtx_recursive = 1, mtx_timed = 2 };

#define ONCE_FLAG_INIT PTHREAD_ONCE_INIT
#define call_once(flag, function) pthread_once(flag, function)

#define thrd_current() pthread_self()
#define thrd_equal(first, second) pthread_equal(first, second)

struct shim_start {
    int (*function)(void *);
    void *argument;
};

static inline int shim_result(int error) {
    return error == 0           ? thrd_success
           : error == EBUSY     ? thrd_busy
           : error == ETIMEDOUT ? thrd_timedout
                                : thrd_error;
}

static inline void *shim_run(void *argument) {
    struct shim_start start = *(struct shim_start *)argument;
    free(argument);
    return (void *)(intptr_t)start.function(start.argument);
}

static inline int thrd_create(thrd_t *thread, int (*function)(void *), void *argument) {
    struct shim_start *start = (struct shim_start *)malloc(sizeof *start);
    start->function = function;
    start->argument = argument;
    return shim_result(pthread_create(thread, NULL, shim_run, start));
}

static inline int thrd_join(thrd_t thread, int *result) {
    void *value = NULL;
    int error = pthread_join(thread, &value);
    if (result)
        *result = (int)(intptr_t)value;
    return shim_result(error);
}

static inline int mtx_init(mtx_t *mutex, int kind) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    if (kind & mtx_recursive)
        pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    return shim_result(pthread_mutex_init(mutex, &attributes));
}

static inline int mtx_timedlock(mtx_t *mutex, const struct timespec *deadline) {
    return shim_result(pthread_mutex_timedlock(mutex, deadline));
}

#define mtx_lock(mutex) shim_result(pthread_mutex_lock(mutex))
#define mtx_trylock(mutex) shim_result(pthread_mutex_trylock(mutex))
#define mtx_unlock(mutex) shim_result(pthread_mutex_unlock(mutex))
#define mtx_destroy(mutex) ((void)pthread_mutex_destroy(mutex))
#define cnd_init(condition) shim_result(pthread_cond_init(condition, NULL))
#define cnd_wait(condition, mutex) shim_result(pthread_cond_wait(condition, mutex))
#define cnd_signal(condition) shim_result(pthread_cond_signal(condition))
#define cnd_destroy(condition) ((void)pthread_cond_destroy(condition))

#endif
