/* Sleeping, yielding and looking at clocks: in controlled runs time is virtual. There are no events
 * for any of this. */
#define _GNU_SOURCE
#include "runtime/control/outside/virtual_time.h"
#include "runtime/control/points.h"
#include "runtime/intercept/interpose.h"

#include <errno.h>
#include <sched.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)

RT_REAL(int, sched_yield, void)
RT_REAL(int, thrd_sleep, const struct timespec *, struct timespec *)
RT_REAL(int, nanosleep, const struct timespec *, struct timespec *)
RT_REAL(int, clock_nanosleep, clockid_t, int, const struct timespec *, struct timespec *)
RT_REAL(unsigned, sleep, unsigned)
RT_REAL(int, usleep, useconds_t)
RT_REAL(int, clock_gettime, clockid_t, struct timespec *)
RT_REAL(int, gettimeofday, struct timeval *, void *)
RT_REAL(time_t, time, time_t *)
RT_REAL(int, timespec_get, struct timespec *, int)

/* ---- yielding ---- */

RT_EXPORT int sched_yield(void) {
    if (!rt_takes_turns())
        return real_sched_yield()();
    rt_point(ST_POINT_YIELD, NULL, 0, RT_CALLER);
    return 0;
}

RT_EXPORT void thrd_yield(void) {
    if (!rt_takes_turns())
        real_sched_yield()();
    else
        rt_point(ST_POINT_YIELD, NULL, 0, RT_CALLER);
}

/* ---- sleeping ---- */

static bool is_valid(const struct timespec *time) {
    return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < (long)SECOND;
}

static uint64_t nanoseconds_of(const struct timespec *time) {
    uint64_t seconds = (uint64_t)time->tv_sec;
    return seconds > UINT64_MAX / SECOND - 1 ? UINT64_MAX
                                             : seconds * SECOND + (uint64_t)time->tv_nsec;
}

/* Writes how much of the time was left, unless it is NULL. */
static int sleep_in_turn(uint64_t nanoseconds, struct timespec *left, uintptr_t caller) {
    if (rt_sleep_until(rt_deadline_after(nanoseconds), caller) != RT_INTERRUPTED)
        return 0;
    if (left)
        *left = (struct timespec){0};
    return EINTR;
}

static int failed(int error) {
    if (error)
        errno = error;
    return error ? -1 : 0;
}

RT_EXPORT int nanosleep(const struct timespec *time, struct timespec *left) {
    if (!rt_takes_turns() || !is_valid(time))
        return real_nanosleep()(time, left);
    return failed(sleep_in_turn(nanoseconds_of(time), left, RT_CALLER));
}

RT_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                              struct timespec *left) {
    if (!rt_takes_turns() || !is_valid(time))
        return real_clock_nanosleep()(clock, flags, time, left);
    if (!(flags & TIMER_ABSTIME))
        return sleep_in_turn(nanoseconds_of(time), left, RT_CALLER);
    return rt_sleep_until(rt_deadline(clock, time), RT_CALLER) == RT_INTERRUPTED ? EINTR : 0;
}

RT_EXPORT unsigned sleep(unsigned seconds) {
    if (!rt_takes_turns())
        return real_sleep()(seconds);
    sleep_in_turn(seconds * SECOND, NULL, RT_CALLER);
    return 0;
}

RT_EXPORT int usleep(useconds_t microseconds) {
    if (!rt_takes_turns())
        return real_usleep()(microseconds);
    return failed(sleep_in_turn(microseconds * UINT64_C(1000), NULL, RT_CALLER));
}

RT_EXPORT int thrd_sleep(const struct timespec *time, struct timespec *left) {
    if (!real_thrd_sleep())
        return -2;
    if (!rt_takes_turns() || !is_valid(time))
        return real_thrd_sleep()(time, left);
    return sleep_in_turn(nanoseconds_of(time), left, RT_CALLER) ? -1 : 0;
}

/* ---- clocks ---- */

static struct timespec split(uint64_t nanoseconds) {
    return (struct timespec){.tv_sec = (time_t)(nanoseconds / SECOND),
                             .tv_nsec = (long)(nanoseconds % SECOND)};
}

RT_EXPORT int clock_gettime(clockid_t clock, struct timespec *time) {
    uint64_t now;
    if (!rt_takes_turns() || !rt_read_clock(clock, &now, RT_CALLER))
        return real_clock_gettime()(clock, time);
    *time = split(now);
    return 0;
}

RT_EXPORT int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    uint64_t now;
    if (!rt_takes_turns() || !rt_read_clock(CLOCK_REALTIME, &now, RT_CALLER))
        return real_gettimeofday()(time, zone);
    *time =
        (struct timeval){.tv_sec = (time_t)(now / SECOND), .tv_usec = (long)(now % SECOND / 1000)};
    return 0;
}

RT_EXPORT time_t time(time_t *to) {
    uint64_t now;
    if (!rt_takes_turns() || !rt_read_clock(CLOCK_REALTIME, &now, RT_CALLER))
        return real_time()(to);
    if (to)
        *to = (time_t)(now / SECOND);
    return (time_t)(now / SECOND);
}

RT_EXPORT int timespec_get(struct timespec *time, int base) {
    uint64_t now;
    if (base != TIME_UTC || !rt_takes_turns() || !rt_read_clock(CLOCK_REALTIME, &now, RT_CALLER))
        return real_timespec_get()(time, base);
    *time = split(now);
    return base;
}
