/* Mutexes and spin locks: locks with one holder.
 *
 * An acquire is emitted after it was done and a release before it is done, so the events lie inside
 * the real critical section, and their order is the real one.
 *
 * There are no events for creating and destroying a lock. A lock is its address. If its memory
 * becomes another lock, the program has to order the two lives itself, and we see that order like
 * any other; or the memory was freed in between (free, munmap, the end of a thread), and that is an
 * event. A release that the real function refuses (an error checking mutex that another thread
 * holds) was emitted already; the watcher knows who holds what, and ignores it. */
#define _GNU_SOURCE
#include "runtime/control/outside/outside.h"
#include "runtime/control/outside/virtual_time.h"
#include "runtime/control/points.h"
#include "runtime/control/runners.h"
#include "runtime/control/waiting.h"
#include "runtime/core/sync_events.h"
#include "runtime/core/system_call.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/sync/mutex_turns.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>

RT_REAL(int, pthread_mutex_lock, pthread_mutex_t *)
RT_REAL(int, pthread_mutex_trylock, pthread_mutex_t *)
RT_REAL(int, pthread_mutex_timedlock, pthread_mutex_t *, const struct timespec *)
RT_REAL(int, pthread_mutex_clocklock, pthread_mutex_t *, clockid_t, const struct timespec *)
RT_REAL(int, pthread_mutex_unlock, pthread_mutex_t *)
RT_REAL(int, pthread_spin_lock, pthread_spinlock_t *)
RT_REAL(int, pthread_spin_trylock, pthread_spinlock_t *)
RT_REAL(int, pthread_spin_unlock, pthread_spinlock_t *)
RT_REAL(int, mtx_lock, mtx_t *)
RT_REAL(int, mtx_trylock, mtx_t *)
RT_REAL(int, mtx_timedlock, mtx_t *, const struct timespec *)
RT_REAL(int, mtx_unlock, mtx_t *)

/* EOWNERDEAD: its holder died, and it is ours. */
static int acquired(int result, const volatile void *lock, uintptr_t caller) {
    if (result == 0 || result == EOWNERDEAD)
        RT_EMIT(rt_lock(lock, ST_STREAM_MUTEX, caller));
    return result;
}

static int tried(int result, const volatile void *lock, uintptr_t caller) {
    if (result == 0 || result == EOWNERDEAD)
        RT_EMIT(rt_lock(lock, ST_STREAM_TRIED, caller));
    return result;
}

static void release(const volatile void *lock, uintptr_t caller) {
    rt_point(ST_POINT_UNLOCK, lock, 1, caller);
    RT_EMIT(rt_unlock(lock, ST_STREAM_MUTEX, caller));
}

static int released(int result, const volatile void *lock) {
    rt_unblock(lock);
    return result;
}

/* ---- in controlled runs ---- */

/* trylock says EBUSY where lock would refuse: a mutex that checks for errors, and is the caller's.
 */
static bool is_refused(const pthread_mutex_t *mutex) {
    return (mutex->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK &&
           mutex->__data.__owner == (int)rt_system_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

/* Of a robust mutex whose holder has ended the kernel says so a moment later: in each run of a
 * schedule it is waited for. */
static int try_now(pthread_mutex_t *mutex) {
    enum { ROBUST = 16, MOST = 10000 };
    static const struct timespec nap = {.tv_nsec = 100 * 1000};
    int result = real_pthread_mutex_trylock()(mutex);
    for (int i = 0; i < MOST && result == EBUSY && mutex->__data.__kind & ROBUST &&
                    !rt_is_running(mutex->__data.__lock & FUTEX_TID_MASK);
         i++) {
        rt_system_call(SYS_nanosleep, (long)&nap, 0, 0, 0, 0, 0);
        result = real_pthread_mutex_trylock()(mutex);
    }
    return result;
}

/* A mutex that other processes may lock and unlock, if there are any. When it is free is then a
 * decision, as it comes from outside. */
struct awaited_mutex {
    struct rt_awaited awaited; /* the first member */
    const pthread_mutex_t *mutex;
};

static bool is_free(const struct rt_awaited *awaited) {
    const struct awaited_mutex *what = (const struct awaited_mutex *)awaited;
    return !(__atomic_load_n(&what->mutex->__data.__lock, __ATOMIC_ACQUIRE) & FUTEX_TID_MASK);
}

static bool is_shared(const pthread_mutex_t *mutex) {
    enum { SHARED = 128 };
    return mutex->__data.__kind & SHARED && rt_do_others_run();
}

static enum rt_woken wait_for_mutex(const pthread_mutex_t *mutex, uint64_t deadline,
                                    uintptr_t caller) {
    struct awaited_mutex what = {{.is_there = is_free, .may_be_ours = true}, mutex};
    return is_shared(mutex) ? rt_await(&what.awaited, deadline, caller)
                            : rt_block_until(mutex, mutex->__data.__owner, deadline);
}

int rt_mutex_lock_again(pthread_mutex_t *mutex, uint64_t deadline) {
    int result;
    while ((result = try_now(mutex)) == EBUSY)
        if (wait_for_mutex(mutex, deadline, RT_CALLER) == RT_TIMED_OUT) {
            result = real_pthread_mutex_trylock()(mutex);
            result = result == EBUSY ? ETIMEDOUT : result;
            break;
        }
    if (result == 0 || result == EOWNERDEAD)
        rt_taken(mutex, false);
    return result;
}

int rt_mutex_unlock_first(pthread_mutex_t *mutex) {
    return released(real_pthread_mutex_unlock()(mutex), mutex);
}

static int lock_in_turn(pthread_mutex_t *mutex, uint64_t deadline, uintptr_t caller) {
    rt_point(deadline == RT_FOREVER ? ST_POINT_LOCK : ST_POINT_TRY_LOCK, mutex, 1, caller);
    return is_refused(mutex) ? EDEADLK : rt_mutex_lock_again(mutex, deadline);
}

static int try_in_turn(pthread_mutex_t *mutex, uintptr_t caller) {
    rt_point(ST_POINT_TRY_LOCK, mutex, 1, caller);
    struct awaited_mutex what = {{.is_there = is_free}, mutex};
    if (is_shared(mutex) && !rt_look_at(&what.awaited, caller))
        return EBUSY;
    int result = try_now(mutex);
    if (result == 0 || result == EOWNERDEAD)
        rt_taken(mutex, false);
    return result;
}

static int spin_in_turn(pthread_spinlock_t *lock, uintptr_t caller) {
    int result;
    rt_point(ST_POINT_LOCK, lock, 1, caller);
    while ((result = real_pthread_spin_trylock()(lock)) == EBUSY)
        rt_block_until(lock, 0, RT_FOREVER);
    rt_taken(lock, false);
    return result;
}

/* ---- the functions ---- */

RT_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex) {
    if (rt_takes_turns())
        return acquired(lock_in_turn(mutex, RT_FOREVER, RT_CALLER), mutex, RT_CALLER);
    return acquired(real_pthread_mutex_lock()(mutex), mutex, RT_CALLER);
}

RT_EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    if (rt_takes_turns())
        return tried(try_in_turn(mutex, RT_CALLER), mutex, RT_CALLER);
    return tried(real_pthread_mutex_trylock()(mutex), mutex, RT_CALLER);
}

RT_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until) {
    if (rt_takes_turns()) {
        uint64_t deadline = rt_deadline(CLOCK_REALTIME, until);
        return acquired(lock_in_turn(mutex, deadline, RT_CALLER), mutex, RT_CALLER);
    }
    return acquired(real_pthread_mutex_timedlock()(mutex, until), mutex, RT_CALLER);
}

RT_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                                      const struct timespec *until) {
    if (!real_pthread_mutex_clocklock())
        return ENOSYS;
    if (rt_takes_turns())
        return acquired(lock_in_turn(mutex, rt_deadline(clock, until), RT_CALLER), mutex,
                        RT_CALLER);
    return acquired(real_pthread_mutex_clocklock()(mutex, clock, until), mutex, RT_CALLER);
}

RT_EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    release(mutex, RT_CALLER);
    return released(real_pthread_mutex_unlock()(mutex), mutex);
}

RT_EXPORT int pthread_spin_lock(pthread_spinlock_t *lock) {
    if (rt_takes_turns())
        return acquired(spin_in_turn(lock, RT_CALLER), (const volatile void *)lock, RT_CALLER);
    return acquired(real_pthread_spin_lock()(lock), lock, RT_CALLER);
}

RT_EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock) {
    rt_point(ST_POINT_TRY_LOCK, lock, 1, RT_CALLER);
    return tried(real_pthread_spin_trylock()(lock), lock, RT_CALLER);
}

RT_EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock) {
    release(lock, RT_CALLER);
    return released(real_pthread_spin_unlock()(lock), lock);
}

_Static_assert(thrd_success == 0, "acquired() takes 0 for success");

/* In glibc an mtx_t is a pthread_mutex_t. */
static int c11(int result) {
    return result == 0           ? thrd_success
           : result == EBUSY     ? thrd_busy
           : result == ETIMEDOUT ? thrd_timedout
                                 : thrd_error;
}

RT_EXPORT int mtx_lock(mtx_t *mutex) {
    if (!real_mtx_lock())
        return thrd_error;
    if (rt_takes_turns())
        return acquired(c11(lock_in_turn((pthread_mutex_t *)mutex, RT_FOREVER, RT_CALLER)), mutex,
                        RT_CALLER);
    return acquired(real_mtx_lock()(mutex), mutex, RT_CALLER);
}

RT_EXPORT int mtx_trylock(mtx_t *mutex) {
    if (!real_mtx_trylock())
        return thrd_error;
    if (rt_takes_turns())
        return tried(c11(try_in_turn((pthread_mutex_t *)mutex, RT_CALLER)), mutex, RT_CALLER);
    return tried(real_mtx_trylock()(mutex), mutex, RT_CALLER);
}

RT_EXPORT int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until) {
    if (!real_mtx_timedlock())
        return thrd_error;
    if (rt_takes_turns()) {
        uint64_t deadline = rt_deadline(CLOCK_REALTIME, until);
        return acquired(c11(lock_in_turn((pthread_mutex_t *)mutex, deadline, RT_CALLER)), mutex,
                        RT_CALLER);
    }
    return acquired(real_mtx_timedlock()(mutex, until), mutex, RT_CALLER);
}

RT_EXPORT int mtx_unlock(mtx_t *mutex) {
    if (!real_mtx_unlock())
        return thrd_error;
    release(mutex, RT_CALLER);
    return released(real_mtx_unlock()(mutex), mutex);
}
