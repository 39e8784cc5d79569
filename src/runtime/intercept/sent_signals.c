/* Signals that threads of the program send, and requests to cancel: in controlled runs whoever gets
 * one may have to be woken. There are no events for any of this. */
#define _GNU_SOURCE
#include "runtime/control/outside/signals.h"
#include "runtime/control/points.h"
#include "runtime/intercept/interpose.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

RT_REAL(int, pthread_kill, pthread_t, int)
RT_REAL(int, pthread_sigqueue, pthread_t, int, const union sigval)
RT_REAL(int, kill, pid_t, int)
RT_REAL(int, raise, int)
RT_REAL(int, sigqueue, pid_t, int, const union sigval)
RT_REAL(int, pthread_cancel, pthread_t)

static int sent(int result, pthread_t thread, int number) {
    if (result == 0 && rt_controlled)
        rt_signal_sent((uintptr_t)thread, number);
    return result;
}

RT_EXPORT int pthread_kill(pthread_t thread, int number) {
    rt_point(ST_POINT_SIGNAL, (const void *)thread, 1, RT_CALLER);
    return sent(real_pthread_kill()(thread, number), thread, number);
}

RT_EXPORT int pthread_sigqueue(pthread_t thread, int number, const union sigval value) {
    rt_point(ST_POINT_SIGNAL, (const void *)thread, 1, RT_CALLER);
    return sent(real_pthread_sigqueue()(thread, number, value), thread, number);
}

RT_EXPORT int kill(pid_t process, int number) {
    rt_point(ST_POINT_SIGNAL, NULL, 0, RT_CALLER);
    int result = real_kill()(process, number);
    return process == getpid() ? sent(result, 0, number) : result;
}

RT_EXPORT int raise(int number) {
    rt_point(ST_POINT_SIGNAL, (const void *)pthread_self(), 1, RT_CALLER);
    return sent(real_raise()(number), pthread_self(), number);
}

RT_EXPORT int sigqueue(pid_t process, int number, const union sigval value) {
    rt_point(ST_POINT_SIGNAL, NULL, 0, RT_CALLER);
    int result = real_sigqueue()(process, number, value);
    return process == getpid() ? sent(result, 0, number) : result;
}

RT_EXPORT int pthread_cancel(pthread_t thread) {
    rt_point(ST_POINT_CANCEL, (const void *)thread, 1, RT_CALLER);
    int result = real_pthread_cancel()(thread);
    if (result == 0 && rt_controlled)
        rt_cancel_sent((uintptr_t)thread);
    return result;
}
