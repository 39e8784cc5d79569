/* See schedule.h. Nothing here may be visible to a tool: plain system calls, no instrumentation,
 * and no function that a tool replaces. */
#include "schedule.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LONG_SECONDS = 20, MOMENT_NANOSECONDS = 20 * 1000 * 1000 };

#ifndef SCHEDULE_JITTER
#define SCHEDULE_JITTER 0 /* microseconds */
#endif

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

static void say(const char *message, int length) {
    syscall(SYS_write, 2, message, length);
}

/* Sleeps up to so many microseconds, another time each time: a thread that is late must not change
 * what a program does. */
static void be_late(void) {
    static unsigned calls;
    unsigned draw = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) + (unsigned)now();
    struct timespec time = {0, SCHEDULE_JITTER ? draw * 2654435761u % (SCHEDULE_JITTER + 1) * 1000
                                               : 0};
    if (time.tv_nsec)
        syscall(SYS_nanosleep, &time, NULL);
}

void schedule_step(int number) {
    int saved = errno;
    be_late();
    while (!await(number, LONG_SECONDS * 1000000000LL)) {
        char text[80];
        say(text, snprintf(text, sizeof text, "schedule: step %d has not come yet\n", number));
    }
    pass(number);
    be_late();
    errno = saved;
}

void schedule_step_after(int number) {
    schedule_step(number + 1);
}

void schedule_step_or_go_on(int number) {
    int saved = errno;
    be_late();
    await(number, MOMENT_NANOSECONDS);
    pass(number);
    be_late();
    errno = saved;
}

int schedule_thread(void) {
    return (int)syscall(SYS_gettid);
}

/* Its state as the kernel tells it, or 0 when it is gone. */
static char state_of(int thread) {
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    long length = syscall(SYS_read, file, text, sizeof text - 1);
    syscall(SYS_close, file);
    while (length > 0 && text[length] != ')') /* of the name, which may have any character in it */
        length--;
    return length > 0 ? text[length + 2] : 0;
}

void schedule_wait_for_end(int thread) {
    int saved = errno;
    for (char state = 'R'; state && state != 'Z'; state = state_of(thread))
        syscall(SYS_sched_yield);
    errno = saved;
}

void schedule_check(int holds, const char *file, int line) {
    char text[400];
    if (holds)
        return;
    say(text, snprintf(text, sizeof text, "%s:%d: check failed\n", file, line));
    syscall(SYS_exit_group, 3);
}
