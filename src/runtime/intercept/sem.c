/* Semaphores.
 *
 * Inferred blocks are not split here: a semaphore is as often a lock as it is a signal. A post is
 * emitted before it is done; if the real function then refuses it, nobody can have come after it,
 * except when the semaphore overflows. */
#define _GNU_SOURCE
#include "runtime/core/sync_events.h"
#include "runtime/intercept/interpose.h"

#include <errno.h>
#include <semaphore.h>
#include <time.h>

RT_REAL(int, sem_post, sem_t *)
RT_REAL(int, sem_wait, sem_t *)
RT_REAL(int, sem_trywait, sem_t *)
RT_REAL(int, sem_timedwait, sem_t *, const struct timespec *)
RT_REAL(int, sem_clockwait, sem_t *, clockid_t, const struct timespec *)

/* A wait comes after every post before it, since which one let it pass is not known. */
static int passed(int result, sem_t *semaphore, uintptr_t caller) {
    if (result == 0)
        RT_EMIT(rt_receive(semaphore, 0, caller));
    return result;
}

static void send(const volatile void *object, uintptr_t caller) {
    RT_EMIT(rt_send(object, 0, caller));
}

RT_EXPORT int sem_post(sem_t *semaphore) {
    send(semaphore, RT_CALLER);
    return real_sem_post()(semaphore);
}

RT_EXPORT int sem_wait(sem_t *semaphore) {
    return passed(real_sem_wait()(semaphore), semaphore, RT_CALLER);
}

RT_EXPORT int sem_trywait(sem_t *semaphore) {
    return passed(real_sem_trywait()(semaphore), semaphore, RT_CALLER);
}

RT_EXPORT int sem_timedwait(sem_t *semaphore, const struct timespec *until) {
    return passed(real_sem_timedwait()(semaphore, until), semaphore, RT_CALLER);
}

RT_EXPORT int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until) {
    if (!real_sem_clockwait()) {
        errno = ENOSYS;
        return -1;
    }
    return passed(real_sem_clockwait()(semaphore, clock, until), semaphore, RT_CALLER);
}
