/* Mutexes, spin locks and read-write locks.
 *
 * An acquire is told after it was done and a release before it is done, so what is told lies inside
 * the real critical section and the order told is the real one.
 *
 * Creating and destroying a lock is not told. A lock is its address. If its memory becomes another
 * lock, the program has to order the two lives itself, and that order is seen like any other; or
 * the memory was given back in between (free, munmap, the end of a thread), and is told to be fresh
 * there. A release that the real function refuses (an error checking mutex that another thread
 * holds) was told already; the watcher knows who holds what, and overlooks it. */
#define _GNU_SOURCE
#include "runtime/core/runtime.h"

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

/* ---- locks with one holder ---- */

/* EOWNERDEAD: its holder died, and it is ours. */
static int acquired(int result, const volatile void *lock, uintptr_t caller) {
    if ((result == 0 || result == EOWNERDEAD) && rt_enter()) {
        rt_acquire(lock, caller);
        rt_leave();
    }
    return result;
}

static void release(const volatile void *lock, uintptr_t caller) {
    if (rt_enter()) {
        rt_release(lock, caller);
        rt_leave();
    }
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

/* ---- read-write locks ---- */

RT_REAL(int, pthread_rwlock_rdlock, pthread_rwlock_t *)
RT_REAL(int, pthread_rwlock_tryrdlock, pthread_rwlock_t *)
RT_REAL(int, pthread_rwlock_timedrdlock, pthread_rwlock_t *, const struct timespec *)
RT_REAL(int, pthread_rwlock_clockrdlock, pthread_rwlock_t *, clockid_t, const struct timespec *)
RT_REAL(int, pthread_rwlock_wrlock, pthread_rwlock_t *)
RT_REAL(int, pthread_rwlock_trywrlock, pthread_rwlock_t *)
RT_REAL(int, pthread_rwlock_timedwrlock, pthread_rwlock_t *, const struct timespec *)
RT_REAL(int, pthread_rwlock_clockwrlock, pthread_rwlock_t *, clockid_t, const struct timespec *)
RT_REAL(int, pthread_rwlock_unlock, pthread_rwlock_t *)

/* Readers come after the writers before them, writers after both, and readers are not ordered among
 * themselves: two channels, of what was written and what was read under the lock. */
enum { WRITTEN, READ };

static int read_locked(int result, pthread_rwlock_t *lock, uintptr_t caller) {
    if (result == 0 && rt_enter()) {
        rt_receive(lock, WRITTEN, caller);
        rt_leave();
    }
    return result;
}

static int write_locked(int result, pthread_rwlock_t *lock, uintptr_t caller) {
    if (result == 0 && rt_enter()) {
        rt_receive(lock, WRITTEN, caller);
        rt_receive(lock, READ, caller);
        rt_leave();
    }
    return result;
}

RT_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
    return read_locked(real_pthread_rwlock_rdlock()(lock), lock, RT_CALLER);
}

RT_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) {
    return read_locked(real_pthread_rwlock_tryrdlock()(lock), lock, RT_CALLER);
}

RT_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until) {
    return read_locked(real_pthread_rwlock_timedrdlock()(lock, until), lock, RT_CALLER);
}

RT_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock,
                                         const struct timespec *until) {
    if (!real_pthread_rwlock_clockrdlock())
        return ENOSYS;
    return read_locked(real_pthread_rwlock_clockrdlock()(lock, clock, until), lock, RT_CALLER);
}

RT_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
    return write_locked(real_pthread_rwlock_wrlock()(lock), lock, RT_CALLER);
}

RT_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) {
    return write_locked(real_pthread_rwlock_trywrlock()(lock), lock, RT_CALLER);
}

RT_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until) {
    return write_locked(real_pthread_rwlock_timedwrlock()(lock, until), lock, RT_CALLER);
}

RT_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock,
                                         const struct timespec *until) {
    if (!real_pthread_rwlock_clockwrlock())
        return ENOSYS;
    return write_locked(real_pthread_rwlock_clockwrlock()(lock, clock, until), lock, RT_CALLER);
}

/* Which side is it that is released? glibc has the same question in its own unlock, and answers it
 * by the writer that it noted in the lock: there is one exactly as long as the lock is held for
 * writing, and who unlocks holds the lock, so it is the caller or nobody. */
static bool is_held_for_writing(pthread_rwlock_t *lock) {
    return __atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED) != 0;
}

RT_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
    if (rt_enter()) {
        rt_send(lock, is_held_for_writing(lock) ? WRITTEN : READ, RT_CALLER);
        rt_leave();
    }
    return real_pthread_rwlock_unlock()(lock);
}
