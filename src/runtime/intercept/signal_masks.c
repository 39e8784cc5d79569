/* Handlers and masks of signals, and waiting for signals: in controlled runs handlers run at
 * points, and the runtime blocks what it has to (control/signals.c). There are no events for any of
 * this. */
#define _GNU_SOURCE
#include "runtime/control/outside/signals.h"
#include "runtime/control/outside/virtual_time.h"
#include "runtime/control/points.h"
#include "runtime/intercept/interpose.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)

/* The first 64 signals, which are all that there are. A call of memcpy would be one of ours, and a
 * point of the schedule: whoever is about to create a thread must not make way for it yet. */
static uint64_t bits_of(const sigset_t *set) {
    uint64_t bits;
    __builtin_memcpy(&bits, set, sizeof bits);
    return bits;
}

static void put_bits(sigset_t *set, uint64_t bits) {
    sigemptyset(set);
    __builtin_memcpy(set, &bits, sizeof bits);
}

/* ---- handlers ---- */

RT_REAL(int, sigaction, int, const struct sigaction *, struct sigaction *)
RT_REAL(sighandler_t, signal, int, sighandler_t)

static bool is_handler(sighandler_t handler) {
    return handler != SIG_DFL && handler != SIG_IGN && handler != SIG_ERR;
}

RT_EXPORT int sigaction(int number, const struct sigaction *restrict action,
                        struct sigaction *restrict before) {
    bool handler = action && is_handler(action->sa_handler);
    int result = real_sigaction()(number, action, before);
    if (result == 0 && action && rt_takes_turns())
        rt_handler_set(number, handler);
    return result;
}

RT_EXPORT sighandler_t signal(int number, sighandler_t handler) {
    sighandler_t before = real_signal()(number, handler);
    if (before != SIG_ERR && rt_takes_turns())
        rt_handler_set(number, is_handler(handler));
    return before;
}

/* ---- masks ---- */

RT_REAL(int, pthread_sigmask, int, const sigset_t *, sigset_t *)

static int change_mask(int how, const sigset_t *set, sigset_t *before) {
    uint64_t now = rt_signal_mask(), bits = set ? bits_of(set) : 0;
    if (set && how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK)
        return EINVAL;
    if (before)
        put_bits(before, now);
    if (set)
        rt_set_signal_mask(how == SIG_BLOCK ? now | bits : how == SIG_UNBLOCK ? now & ~bits : bits);
    return 0;
}

RT_EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict before) {
    return rt_takes_turns() ? change_mask(how, set, before)
                            : real_pthread_sigmask()(how, set, before);
}

RT_EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict before) {
    int error =
        rt_takes_turns() ? change_mask(how, set, before) : real_pthread_sigmask()(how, set, before);
    if (error)
        errno = error;
    return error ? -1 : 0;
}

/* ---- waiting ---- */

RT_REAL(int, pause, void)
RT_REAL(int, sigwait, const sigset_t *, int *)
RT_REAL(int, sigtimedwait, const sigset_t *, siginfo_t *, const struct timespec *)
RT_REAL(int, sigsuspend, const sigset_t *)

RT_EXPORT int pause(void) {
    if (!rt_takes_turns())
        return real_pause()();
    rt_wait_for_handler(NULL, RT_CALLER);
    errno = EINTR;
    return -1;
}

RT_EXPORT int sigsuspend(const sigset_t *set) {
    if (!rt_takes_turns())
        return real_sigsuspend()(set);
    uint64_t mask = bits_of(set);
    rt_wait_for_handler(&mask, RT_CALLER);
    errno = EINTR;
    return -1;
}

/* The number of the signal, or -1 with the reason in errno. */
static int take_signal(const sigset_t *set, siginfo_t *info, uint64_t deadline, uintptr_t caller) {
    static const struct timespec none;
    for (;;) {
        enum rt_woken woken = rt_wait_for_signals(bits_of(set), deadline, caller);
        int number = real_sigtimedwait()(set, info, &none);
        if (number > 0) {
            rt_signal_taken(number);
            return number;
        }
        if (woken != RT_WOKEN) {
            errno = woken == RT_TIMED_OUT ? EAGAIN : EINTR;
            return -1;
        }
    }
}

/* It is never interrupted. */
RT_EXPORT int sigwait(const sigset_t *restrict set, int *restrict number) {
    if (!rt_takes_turns())
        return real_sigwait()(set, number);
    int error = errno, taken;
    while ((taken = take_signal(set, NULL, RT_FOREVER, RT_CALLER)) < 0)
        ;
    *number = taken;
    errno = error;
    return 0;
}

RT_EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                           const struct timespec *restrict timeout) {
    if (!rt_takes_turns())
        return real_sigtimedwait()(set, info, timeout);
    uint64_t deadline =
        timeout ? rt_deadline_after((uint64_t)timeout->tv_sec * SECOND + (uint64_t)timeout->tv_nsec)
                : RT_FOREVER;
    if (timeout && !timeout->tv_sec && !timeout->tv_nsec) {
        rt_point(ST_POINT_YIELD, NULL, 0, RT_CALLER);
        int number = real_sigtimedwait()(set, info, timeout);
        if (number > 0)
            rt_signal_taken(number);
        return number;
    }
    return take_signal(set, info, deadline, RT_CALLER);
}

RT_EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info) {
    if (!rt_takes_turns())
        return real_sigtimedwait()(set, info, NULL);
    return take_signal(set, info, RT_FOREVER, RT_CALLER);
}
