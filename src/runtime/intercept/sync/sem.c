/* Semaphores. Whether one is a lock or a signal is for the watcher to find out (watch/locks.c),
 * which must know with which value it was made.
 *
 * A post is emitted before it is done; if the real function then refuses it, nobody can have come
 * after it, except when the semaphore overflows. */
#define _GNU_SOURCE
#include "runtime/control/outside/virtual_time.h"
#include "runtime/control/points.h"
#include "runtime/control/waiting.h"
#include "runtime/core/sync_events.h"
#include "runtime/intercept/interpose.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <sys/types.h>
#include <time.h>

RT_REAL(int, sem_init, sem_t *, int, unsigned)
RT_REAL(sem_t *, sem_open, const char *, int, ...)
RT_REAL(int, sem_getvalue, sem_t *, int *)
RT_REAL(int, sem_post, sem_t *)
RT_REAL(int, sem_wait, sem_t *)
RT_REAL(int, sem_trywait, sem_t *)
RT_REAL(int, sem_timedwait, sem_t *, const struct timespec *)
RT_REAL(int, sem_clockwait, sem_t *, clockid_t, const struct timespec *)

/* A wait comes after every post before it, since which one let it pass is not known. */
static int passed(int result, sem_t *semaphore, uintptr_t caller) {
    if (result == 0)
        RT_EMIT(rt_acquire_as(semaphore, ST_STREAM_SEMAPHORE, caller));
    return result;
}

/* In controlled runs. */
static int wait_in_turn(sem_t *semaphore, uint64_t deadline, uintptr_t caller) {
    rt_point(ST_POINT_SEM_WAIT, semaphore, 1, caller);
    pthread_testcancel();
    while (real_sem_trywait()(semaphore) < 0) {
        enum rt_woken woken = errno == EAGAIN ? rt_block_until(semaphore, 0, deadline) : RT_WOKEN;
        pthread_testcancel();
        if (errno == EAGAIN && woken == RT_WOKEN)
            continue;
        if (errno == EAGAIN)
            errno = woken == RT_TIMED_OUT ? ETIMEDOUT : EINTR;
        return -1;
    }
    rt_changed();
    return passed(0, semaphore, caller);
}

RT_EXPORT int sem_init(sem_t *semaphore, int shared, unsigned value) {
    int result = real_sem_init()(semaphore, shared, value);
    if (result == 0)
        RT_EMIT(rt_semaphore(semaphore, value, false, RT_CALLER));
    return result;
}

/* The value that it has now counts: another process may have made it, and others may hold it. */
RT_EXPORT sem_t *sem_open(const char *name, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    unsigned initial = flags & O_CREAT ? va_arg(arguments, unsigned) : 0;
    va_end(arguments);
    sem_t *semaphore = real_sem_open()(name, flags, mode, initial);
    int value, error = errno;
    if (semaphore != SEM_FAILED && real_sem_getvalue()(semaphore, &value) == 0 && value >= 0)
        RT_EMIT(rt_semaphore(semaphore, (unsigned)value, true, RT_CALLER));
    errno = error;
    return semaphore;
}

RT_EXPORT int sem_post(sem_t *semaphore) {
    rt_point(ST_POINT_SEM_POST, semaphore, 1, RT_CALLER);
    RT_EMIT(rt_release_as(semaphore, ST_STREAM_SEMAPHORE, RT_CALLER));
    int result = real_sem_post()(semaphore);
    rt_unblock(semaphore);
    return result;
}

RT_EXPORT int sem_wait(sem_t *semaphore) {
    if (rt_takes_turns())
        return wait_in_turn(semaphore, RT_FOREVER, RT_CALLER);
    return passed(real_sem_wait()(semaphore), semaphore, RT_CALLER);
}

RT_EXPORT int sem_trywait(sem_t *semaphore) {
    rt_point(ST_POINT_SEM_WAIT, semaphore, 1, RT_CALLER);
    return passed(real_sem_trywait()(semaphore), semaphore, RT_CALLER);
}

RT_EXPORT int sem_timedwait(sem_t *semaphore, const struct timespec *until) {
    if (rt_takes_turns())
        return wait_in_turn(semaphore, rt_deadline(CLOCK_REALTIME, until), RT_CALLER);
    return passed(real_sem_timedwait()(semaphore, until), semaphore, RT_CALLER);
}

RT_EXPORT int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until) {
    if (!real_sem_clockwait()) {
        errno = ENOSYS;
        return -1;
    }
    if (rt_takes_turns())
        return wait_in_turn(semaphore, rt_deadline(clock, until), RT_CALLER);
    return passed(real_sem_clockwait()(semaphore, clock, until), semaphore, RT_CALLER);
}
