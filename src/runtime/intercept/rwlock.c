/* Read-write locks. */
#define _GNU_SOURCE
#include "runtime/core/sync_events.h"
#include "runtime/intercept/interpose.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

RT_REAL(int, pthread_rwlock_rdlock, pthread_rwlock_t *)
RT_REAL(int, pthread_rwlock_tryrdlock, pthread_rwlock_t *)
RT_REAL(int, pthread_rwlock_timedrdlock, pthread_rwlock_t *, const struct timespec *)
RT_REAL(int, pthread_rwlock_clockrdlock, pthread_rwlock_t *, clockid_t, const struct timespec *)
RT_REAL(int, pthread_rwlock_wrlock, pthread_rwlock_t *)
RT_REAL(int, pthread_rwlock_trywrlock, pthread_rwlock_t *)
RT_REAL(int, pthread_rwlock_timedwrlock, pthread_rwlock_t *, const struct timespec *)
RT_REAL(int, pthread_rwlock_clockwrlock, pthread_rwlock_t *, clockid_t, const struct timespec *)
RT_REAL(int, pthread_rwlock_unlock, pthread_rwlock_t *)

static int read_locked(int result, pthread_rwlock_t *lock, uintptr_t caller) {
    if (result == 0)
        RT_EMIT(rt_acquire_as(lock, ST_STREAM_READING, caller));
    return result;
}

static int write_locked(int result, pthread_rwlock_t *lock, uintptr_t caller) {
    if (result == 0)
        RT_EMIT(rt_acquire_as(lock, ST_STREAM_WRITING, caller));
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
    RT_EMIT(rt_release_as(lock, is_held_for_writing(lock) ? ST_STREAM_WRITING : ST_STREAM_READING,
                          RT_CALLER));
    return real_pthread_rwlock_unlock()(lock);
}
