/* Condition variables.
 *
 * Inferred blocks are split at a condition wait, between the release of the mutex and its acquire.
 * A signal is emitted before it is done; if the real function then refuses it, nobody can have come
 * after it. */
#define _GNU_SOURCE
#include "runtime/control/outside/virtual_time.h"
#include "runtime/control/points.h"
#include "runtime/control/waiting.h"
#include "runtime/core/sync_events.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/sync/mutex_turns.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

/* By the same names, glibc still has condition variables of another layout, for programs of 2002.
 */
#define REAL_CONDITION(name, ...)                                                                  \
    typedef int (*name##_type)(__VA_ARGS__);                                                       \
    static name##_type real_##name(void) {                                                         \
        static _Atomic(name##_type) found;                                                         \
        name##_type function = atomic_load_explicit(&found, memory_order_relaxed);                 \
        if (__builtin_expect(!function, 0)) {                                                      \
            function = (name##_type)rt_real_version(#name, "GLIBC_2.3.2");                         \
            if (!function)                                                                         \
                function = (name##_type)rt_real(#name);                                            \
            atomic_store_explicit(&found, function, memory_order_relaxed);                         \
        }                                                                                          \
        return function;                                                                           \
    }

REAL_CONDITION(pthread_cond_wait, pthread_cond_t *, pthread_mutex_t *)
REAL_CONDITION(pthread_cond_timedwait, pthread_cond_t *, pthread_mutex_t *, const struct timespec *)
REAL_CONDITION(pthread_cond_signal, pthread_cond_t *)
REAL_CONDITION(pthread_cond_broadcast, pthread_cond_t *)
RT_REAL(int, pthread_cond_clockwait, pthread_cond_t *, pthread_mutex_t *, clockid_t,
        const struct timespec *)
RT_REAL(int, cnd_wait, cnd_t *, mtx_t *)
RT_REAL(int, cnd_timedwait, cnd_t *, mtx_t *, const struct timespec *)
RT_REAL(int, cnd_signal, cnd_t *)
RT_REAL(int, cnd_broadcast, cnd_t *)

struct waiting {
    void *condition, *mutex;
    uintptr_t caller;
    uint64_t position;
};

static void release(struct waiting *waiting) {
    RT_EMIT(rt_unlock(waiting->mutex, ST_STREAM_MUTEX, waiting->caller);
            waiting->position = rt_split_before_wait());
}

/* The thread was cancelled; the mutex is held again when its clean-up handlers run. */
static void on_cancel(void *of) {
    const struct waiting *waiting = of;
    RT_EMIT(rt_split_after_wait(waiting->position);
            rt_lock(waiting->mutex, ST_STREAM_MUTEX, waiting->caller));
}

/* The mutex is held again whatever the result is, but for a robust one that is beyond repair. A
 * wake-up without a signal looks like one with: then the wait seems to come after signals that it
 * did not need. */
static int woken(int result, const struct waiting *waiting) {
    if (rt_enter()) {
        rt_split_after_wait(waiting->position);
        if (result != ENOTRECOVERABLE)
            rt_lock(waiting->mutex, ST_STREAM_MUTEX, waiting->caller);
        if (result == 0)
            rt_receive(waiting->condition, 0, waiting->caller);
        rt_leave();
    }
    return result;
}

/* In controlled runs the real condition is not used. A mutex that it could not release, or is
 * beyond repair, is the result. */
static int wait_in_turn(void *condition, void *mutex, uint64_t deadline, uintptr_t caller) {
    struct waiting waiting = {condition, mutex, caller, 0};
    rt_point(ST_POINT_COND_WAIT, condition, 1, caller);
    pthread_testcancel();
    release(&waiting);
    rt_queue(condition, deadline);
    rt_mutex_unlock_first(mutex);
    enum rt_woken how = rt_queue_wait();
    int result = rt_mutex_lock_again(mutex, RT_FOREVER);
    result = woken(result ? result : how == RT_TIMED_OUT ? ETIMEDOUT : 0, &waiting);
    pthread_testcancel();
    return result;
}

#define WAIT(condition, mutex, call)                                                               \
    struct waiting waiting = {condition, mutex, RT_CALLER, 0};                                     \
    int result;                                                                                    \
    release(&waiting);                                                                             \
    pthread_cleanup_push(on_cancel, &waiting);                                                     \
    result = call;                                                                                 \
    pthread_cleanup_pop(0);                                                                        \
    return woken(result, &waiting)

static void send(const volatile void *object, unsigned most, uintptr_t caller) {
    rt_point(ST_POINT_COND_SIGNAL, object, 1, caller);
    RT_EMIT(rt_send(object, 0, caller));
    if (rt_controlled)
        rt_queue_wake(object, most);
}

/* By which clock the condition measures: glibc notes that in it. */
static uint64_t deadline_of(const pthread_cond_t *condition, const struct timespec *until) {
    enum { MONOTONIC = 2 };
    bool monotonic = condition->__data.__wrefs & MONOTONIC;
    return rt_deadline(monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME, until);
}

static int c11(int result) {
    return result == 0 ? thrd_success : result == ETIMEDOUT ? thrd_timedout : thrd_error;
}

RT_EXPORT int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    if (rt_takes_turns())
        return wait_in_turn(condition, mutex, RT_FOREVER, RT_CALLER);
    WAIT(condition, mutex, real_pthread_cond_wait()(condition, mutex));
}

RT_EXPORT int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                     const struct timespec *until) {
    if (rt_takes_turns())
        return wait_in_turn(condition, mutex, deadline_of(condition, until), RT_CALLER);
    WAIT(condition, mutex, real_pthread_cond_timedwait()(condition, mutex, until));
}

RT_EXPORT int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                     clockid_t clock, const struct timespec *until) {
    if (!real_pthread_cond_clockwait())
        return ENOSYS;
    if (rt_takes_turns())
        return wait_in_turn(condition, mutex, rt_deadline(clock, until), RT_CALLER);
    WAIT(condition, mutex, real_pthread_cond_clockwait()(condition, mutex, clock, until));
}

RT_EXPORT int pthread_cond_signal(pthread_cond_t *condition) {
    send(condition, 1, RT_CALLER);
    return real_pthread_cond_signal()(condition);
}

RT_EXPORT int pthread_cond_broadcast(pthread_cond_t *condition) {
    send(condition, UINT_MAX, RT_CALLER);
    return real_pthread_cond_broadcast()(condition);
}

RT_EXPORT int cnd_wait(cnd_t *condition, mtx_t *mutex) {
    if (!real_cnd_wait())
        return thrd_error;
    if (rt_takes_turns())
        return c11(wait_in_turn(condition, mutex, RT_FOREVER, RT_CALLER));
    WAIT(condition, mutex, real_cnd_wait()(condition, mutex));
}

RT_EXPORT int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex,
                            const struct timespec *restrict until) {
    if (!real_cnd_timedwait())
        return thrd_error;
    if (rt_takes_turns())
        return c11(wait_in_turn(condition, mutex, rt_deadline(CLOCK_REALTIME, until), RT_CALLER));
    WAIT(condition, mutex, real_cnd_timedwait()(condition, mutex, until));
}

RT_EXPORT int cnd_signal(cnd_t *condition) {
    if (!real_cnd_signal())
        return thrd_error;
    send(condition, 1, RT_CALLER);
    return real_cnd_signal()(condition);
}

RT_EXPORT int cnd_broadcast(cnd_t *condition) {
    if (!real_cnd_broadcast())
        return thrd_error;
    send(condition, UINT_MAX, RT_CALLER);
    return real_cnd_broadcast()(condition);
}
