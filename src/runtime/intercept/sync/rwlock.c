/* Read-write locks. */
#define _GNU_SOURCE
#include "runtime/control/outside/virtual_time.h"
#include "runtime/control/points.h"
#include "runtime/control/waiting.h"
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
        RT_EMIT(rt_lock(lock, ST_STREAM_READING, caller));
    return result;
}

static int write_locked(int result, pthread_rwlock_t *lock, uintptr_t caller) {
    if (result == 0)
        RT_EMIT(rt_lock(lock, ST_STREAM_WRITING, caller));
    return result;
}

/* In controlled runs. */
static int lock_in_turn(pthread_rwlock_t *lock, bool write, uint64_t deadline, uintptr_t caller) {
    int result;
    rt_point(deadline != RT_FOREVER ? ST_POINT_TRY_LOCK
             : write                ? ST_POINT_LOCK
                                    : ST_POINT_READ_LOCK,
             lock, 1, caller);
    while ((result = write ? real_pthread_rwlock_trywrlock()(lock)
                           : real_pthread_rwlock_tryrdlock()(lock)) == EBUSY)
        if (rt_block_until(lock, lock->__data.__cur_writer, deadline) == RT_TIMED_OUT)
            return ETIMEDOUT;
    if (result == 0)
        rt_taken(lock, !write);
    return result;
}

RT_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
    if (rt_takes_turns())
        return read_locked(lock_in_turn(lock, false, RT_FOREVER, RT_CALLER), lock, RT_CALLER);
    return read_locked(real_pthread_rwlock_rdlock()(lock), lock, RT_CALLER);
}

RT_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) {
    rt_point(ST_POINT_TRY_LOCK, lock, 1, RT_CALLER);
    return read_locked(real_pthread_rwlock_tryrdlock()(lock), lock, RT_CALLER);
}

RT_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until) {
    if (rt_takes_turns())
        return read_locked(lock_in_turn(lock, false, rt_deadline(CLOCK_REALTIME, until), RT_CALLER),
                           lock, RT_CALLER);
    return read_locked(real_pthread_rwlock_timedrdlock()(lock, until), lock, RT_CALLER);
}

RT_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock,
                                         const struct timespec *until) {
    if (!real_pthread_rwlock_clockrdlock())
        return ENOSYS;
    if (rt_takes_turns())
        return read_locked(lock_in_turn(lock, false, rt_deadline(clock, until), RT_CALLER), lock,
                           RT_CALLER);
    return read_locked(real_pthread_rwlock_clockrdlock()(lock, clock, until), lock, RT_CALLER);
}

RT_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
    if (rt_takes_turns())
        return write_locked(lock_in_turn(lock, true, RT_FOREVER, RT_CALLER), lock, RT_CALLER);
    return write_locked(real_pthread_rwlock_wrlock()(lock), lock, RT_CALLER);
}

RT_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) {
    rt_point(ST_POINT_TRY_LOCK, lock, 1, RT_CALLER);
    return write_locked(real_pthread_rwlock_trywrlock()(lock), lock, RT_CALLER);
}

RT_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until) {
    if (rt_takes_turns())
        return write_locked(lock_in_turn(lock, true, rt_deadline(CLOCK_REALTIME, until), RT_CALLER),
                            lock, RT_CALLER);
    return write_locked(real_pthread_rwlock_timedwrlock()(lock, until), lock, RT_CALLER);
}

RT_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock,
                                         const struct timespec *until) {
    if (!real_pthread_rwlock_clockwrlock())
        return ENOSYS;
    if (rt_takes_turns())
        return write_locked(lock_in_turn(lock, true, rt_deadline(clock, until), RT_CALLER), lock,
                            RT_CALLER);
    return write_locked(real_pthread_rwlock_clockwrlock()(lock, clock, until), lock, RT_CALLER);
}

/* Which side is it that is released? glibc has the same question in its own unlock, and answers it
 * by the writer that it noted in the lock: there is one exactly as long as the lock is held for
 * writing, and who unlocks holds the lock, so it is the caller or nobody. */
static bool is_held_for_writing(pthread_rwlock_t *lock) {
    return __atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED) != 0;
}

RT_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
    rt_point(ST_POINT_UNLOCK, lock, 1, RT_CALLER);
    RT_EMIT(rt_unlock(lock, is_held_for_writing(lock) ? ST_STREAM_WRITING : ST_STREAM_READING,
                      RT_CALLER));
    int result = real_pthread_rwlock_unlock()(lock);
    rt_unblock(lock);
    return result;
}
