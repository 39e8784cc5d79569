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
#include "runtime/core/sync_events.h"
#include "runtime/intercept/interpose.h"

#include <errno.h>
#include <pthread.h>
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
        RT_EMIT(rt_acquire(lock, caller));
    return result;
}

static void release(const volatile void *lock, uintptr_t caller) {
    RT_EMIT(rt_release(lock, caller));
}

RT_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex) {
    return acquired(real_pthread_mutex_lock()(mutex), mutex, RT_CALLER);
}

RT_EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    return acquired(real_pthread_mutex_trylock()(mutex), mutex, RT_CALLER);
}

RT_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until) {
    return acquired(real_pthread_mutex_timedlock()(mutex, until), mutex, RT_CALLER);
}

RT_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                                      const struct timespec *until) {
    if (!real_pthread_mutex_clocklock())
        return ENOSYS;
    return acquired(real_pthread_mutex_clocklock()(mutex, clock, until), mutex, RT_CALLER);
}

RT_EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    release(mutex, RT_CALLER);
    return real_pthread_mutex_unlock()(mutex);
}

RT_EXPORT int pthread_spin_lock(pthread_spinlock_t *lock) {
    return acquired(real_pthread_spin_lock()(lock), lock, RT_CALLER);
}

RT_EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock) {
    return acquired(real_pthread_spin_trylock()(lock), lock, RT_CALLER);
}

RT_EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock) {
    release(lock, RT_CALLER);
    return real_pthread_spin_unlock()(lock);
}

_Static_assert(thrd_success == 0, "acquired() takes 0 for success");

RT_EXPORT int mtx_lock(mtx_t *mutex) {
    if (!real_mtx_lock())
        return thrd_error;
    return acquired(real_mtx_lock()(mutex), mutex, RT_CALLER);
}

RT_EXPORT int mtx_trylock(mtx_t *mutex) {
    if (!real_mtx_trylock())
        return thrd_error;
    return acquired(real_mtx_trylock()(mutex), mutex, RT_CALLER);
}

RT_EXPORT int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until) {
    if (!real_mtx_timedlock())
        return thrd_error;
    return acquired(real_mtx_timedlock()(mutex, until), mutex, RT_CALLER);
}

RT_EXPORT int mtx_unlock(mtx_t *mutex) {
    if (!real_mtx_unlock())
        return thrd_error;
    release(mutex, RT_CALLER);
    return real_mtx_unlock()(mutex);
}
