/* See schedule.h. Nothing here may be visible to a tool: plain system calls, no instrumentation,
 * and no function that a tool replaces. */
#include "schedule.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { STUCK_SECONDS = 20, MOMENT_NANOSECONDS = 20 * 1000 * 1000 };

/* The number of the step that may return next. */
static int turn = 1;

static long long now(void) {
    struct timespec time;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* Waits until the turn has come to this number, or for so long. Says whether it has come. */
static int await(int number, long long nanoseconds) {
    long long end = now() + nanoseconds;
    for (;;) {
        int current = __atomic_load_n(&turn, __ATOMIC_ACQUIRE);
        long long left = end - now();
        if (current >= number)
            return 1;
        if (left <= 0)
            return 0;
        struct timespec time = {left / 1000000000, left % 1000000000};
        syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, current, &time, NULL, 0);
    }
}

/* Steps up to this one are over. */
static void pass(int number) {
    int current = __atomic_load_n(&turn, __ATOMIC_RELAXED);
    while (current <= number && !__atomic_compare_exchange_n(&turn, &current, number + 1, 0,
                                                             __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        continue;
    syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1 << 30, NULL, NULL, 0);
}

static void give_up(const char *message, int length) {
    syscall(SYS_write, 2, message, length);
    syscall(SYS_exit_group, 3);
}

void schedule_step(int number) {
    int saved = errno;
    if (!await(number, STUCK_SECONDS * 1000000000LL)) {
        char text[80];
        give_up(text, snprintf(text, sizeof text, "schedule: step %d never came\n", number));
    }
    pass(number);
    errno = saved;
}

void schedule_step_or_go_on(int number) {
    int saved = errno;
    await(number, MOMENT_NANOSECONDS);
    pass(number);
    errno = saved;
}

void schedule_check(int holds, const char *file, int line) {
    char text[400];
    if (!holds)
        give_up(text, snprintf(text, sizeof text, "%s:%d: check failed\n", file, line));
}
