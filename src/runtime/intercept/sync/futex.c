/* Futexes: by system calls, which programs and the C++ library make with syscall().
 *
 * The C library itself does without that function. All other system calls pass unchanged, with the
 * six arguments that any of them can have. */
#define _GNU_SOURCE
#include "runtime/control/outside/virtual_time.h"
#include "runtime/control/points.h"
#include "runtime/control/waiting.h"
#include "runtime/core/sync_events.h"
#include "runtime/core/system_call.h"
#include "runtime/intercept/interpose.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long returned(long result) {
    if (result >= 0 || result <= -4096)
        return result;
    errno = (int)-result;
    return -1;
}

static bool is_wait(long operation) {
    return operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;
}

static bool is_wake(long operation) {
    return operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET ||
           operation == FUTEX_REQUEUE || operation == FUTEX_CMP_REQUEUE ||
           operation == FUTEX_WAKE_OP;
}

/* ---- in controlled runs ---- */

static uint64_t deadline_of(const long a[6]) {
    const struct timespec *until = (const struct timespec *)a[3];
    bool absolute = (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
    if (!until)
        return RT_FOREVER;
    if (absolute)
        return rt_deadline(a[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, until);
    return rt_deadline_after((uint64_t)until->tv_sec * UINT64_C(1000000000) +
                             (uint64_t)until->tv_nsec);
}

static long wait_in_turn(const long a[6]) {
    const volatile uint32_t *word = (const volatile uint32_t *)a[0];
    if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != (uint32_t)a[2])
        return -EAGAIN;
    rt_queue(word, deadline_of(a));
    enum rt_woken woken = rt_queue_wait();
    return woken == RT_WOKEN ? 0 : woken == RT_TIMED_OUT ? -ETIMEDOUT : -EINTR;
}

/* Who is moved to another futex, or wakes others under a condition, wakes more than it should:
 * whoever waits at a futex has to expect that. */
static long woken_in_turn(const long a[6], long result) {
    long operation = a[1] & FUTEX_CMD_MASK;
    if (result < 0)
        return result;
    bool plain = operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET;
    unsigned most = plain ? (unsigned)a[2] : UINT_MAX;
    unsigned count = rt_queue_wake((const volatile void *)a[0], most);
    if (operation == FUTEX_WAKE_OP)
        count += rt_queue_wake((const volatile void *)a[4], most);
    return result + (long)count;
}

RT_EXPORT long syscall(long number, ...) {
    long a[6];
    va_list arguments;
    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(arguments, long);
    va_end(arguments);
    if (number != SYS_futex)
        return returned(rt_system_call(number, a[0], a[1], a[2], a[3], a[4], a[5]));
    const volatile void *word = (const volatile void *)a[0];
    long operation = a[1] & FUTEX_CMD_MASK;
    if (is_wait(operation) || is_wake(operation))
        rt_point(is_wait(operation) ? ST_POINT_FUTEX_WAIT : ST_POINT_FUTEX_WAKE, word, 4,
                 RT_CALLER);
    if (is_wait(operation))
        RT_EMIT(rt_futex_wait(word, RT_CALLER));
    else if (is_wake(operation))
        RT_EMIT(rt_futex_wake(word, RT_CALLER));
    long result = is_wait(operation) && rt_takes_turns()
                      ? wait_in_turn(a)
                      : rt_system_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (rt_controlled && is_wake(operation))
        result = woken_in_turn(a, result);
    if (is_wait(operation) && result == 0)
        RT_EMIT(rt_futex_woken(word, RT_CALLER));
    return returned(result);
}
