/* Futexes: by system calls, which programs and the C++ library make with syscall().
 *
 * The C library itself does without that function. All other system calls pass unchanged, with the
 * six arguments that any of them can have. */
#define _GNU_SOURCE
#include "runtime/core/sync_events.h"
#include "runtime/core/system_call.h"
#include "runtime/intercept/interpose.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>
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
    if (is_wait(operation))
        RT_EMIT(rt_futex_wait(word, RT_CALLER));
    else if (is_wake(operation))
        RT_EMIT(rt_futex_wake(word, RT_CALLER));
    long result = rt_system_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (is_wait(operation) && result == 0)
        RT_EMIT(rt_futex_woken(word, RT_CALLER));
    return returned(result);
}
