/* Timers: in controlled runs they measure virtual time (control/timers.c). There are no events for
 * any of this. */
#define _GNU_SOURCE
#include "runtime/control/outside/timers.h"
#include "runtime/control/outside/virtual_time.h"
#include "runtime/control/points.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/timer_threads.h"

#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)

static bool is_valid(const struct timespec *time) {
    return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < (long)SECOND;
}

static uint64_t nanoseconds_of(const struct timespec *time) {
    return (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_nsec;
}

static struct timespec split(uint64_t nanoseconds) {
    return (struct timespec){.tv_sec = (time_t)(nanoseconds / SECOND),
                             .tv_nsec = (long)(nanoseconds % SECOND)};
}

static bool measures_virtually(void) {
    return rt_takes_turns() && rt_time_is_virtual();
}

/* ---- alarm and setitimer ---- */

RT_REAL(unsigned, alarm, unsigned)
RT_REAL(int, setitimer, __itimer_which_t, const struct itimerval *, struct itimerval *)
RT_REAL(int, getitimer, __itimer_which_t, struct itimerval *)

static struct rt_timer_setting set_alarm(struct rt_timer_setting setting) {
    struct rt_timer_setting before = {0};
    if (rt_timer_set(RT_TIMER_ALARM, 0, &setting, &before) ||
        !rt_timer_new(RT_TIMER_ALARM, 0, SIGALRM, 0))
        return before;
    rt_timer_set(RT_TIMER_ALARM, 0, &setting, NULL);
    return before;
}

RT_EXPORT unsigned alarm(unsigned seconds) {
    if (!measures_virtually())
        return real_alarm()(seconds);
    struct rt_timer_setting before = set_alarm((struct rt_timer_setting){.left = seconds * SECOND});
    return (unsigned)((before.left + SECOND - 1) / SECOND);
}

static struct timeval in_microseconds(uint64_t nanoseconds) {
    uint64_t rounded = (nanoseconds + 999) / 1000;
    return (struct timeval){.tv_sec = (time_t)(rounded / 1000000),
                            .tv_usec = (suseconds_t)(rounded % 1000000)};
}

static uint64_t of_microseconds(const struct timeval *time) {
    return (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_usec * 1000;
}

RT_EXPORT int setitimer(__itimer_which_t which, const struct itimerval *restrict value,
                        struct itimerval *restrict before) {
    if (which != ITIMER_REAL || !value || !measures_virtually())
        return real_setitimer()(which, value, before);
    struct rt_timer_setting old = set_alarm((struct rt_timer_setting){
        of_microseconds(&value->it_value), of_microseconds(&value->it_interval)});
    if (before)
        *before = (struct itimerval){.it_value = in_microseconds(old.left),
                                     .it_interval = in_microseconds(old.interval)};
    return 0;
}

RT_EXPORT int getitimer(__itimer_which_t which, struct itimerval *value) {
    struct rt_timer_setting now = {0};
    if (which != ITIMER_REAL || !measures_virtually())
        return real_getitimer()(which, value);
    rt_timer_get(RT_TIMER_ALARM, 0, &now);
    *value = (struct itimerval){.it_value = in_microseconds(now.left),
                                .it_interval = in_microseconds(now.interval)};
    return 0;
}

/* ---- timer_create and timerfd_create ---- */

RT_REAL(int, timer_create, clockid_t, struct sigevent *, timer_t *)
RT_REAL(int, timer_settime, timer_t, int, const struct itimerspec *, struct itimerspec *)
RT_REAL(int, timer_gettime, timer_t, struct itimerspec *)
RT_REAL(int, timer_delete, timer_t)
RT_REAL(int, timerfd_create, int, int)
RT_REAL(int, timerfd_settime, int, int, const struct itimerspec *, struct itimerspec *)
RT_REAL(int, timerfd_gettime, int, struct itimerspec *)

static bool is_of_the_world(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME;
}

/* By which clock, for absolute times: POSIX timers have ids from 0 on, and descriptors have, too.
 */
enum { CLOCKS = 1024 };
static clockid_t clocks[RT_TIMER_DESCRIPTOR + 1][CLOCKS];

static void note_clock(enum rt_timer_kind kind, uintptr_t id, clockid_t clock) {
    if (id < CLOCKS)
        clocks[kind][id] = clock;
}

/* One that starts threads: its id is that of a real timer, which does nothing. */
static int create_with_threads(clockid_t clock, const struct sigevent *event, timer_t *timer) {
    struct sigevent none = {.sigev_notify = SIGEV_NONE};
    int result = real_timer_create()(clock, &none, timer);
    if (result != 0 || rt_start_timer_threads(clock, event, *timer))
        return result;
    real_timer_delete()(*timer);
    errno = EAGAIN;
    return -1;
}

/* A real one exists in any case, and is never set. */
RT_EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event,
                           timer_t *restrict timer) {
    if (event && event->sigev_notify == SIGEV_THREAD && is_of_the_world(clock) && rt_takes_turns())
        return create_with_threads(clock, event, timer);
    int result = real_timer_create()(clock, event, timer);
    bool signals =
        !event || event->sigev_notify == SIGEV_SIGNAL || event->sigev_notify == SIGEV_NONE;
    if (result != 0 || !signals || !is_of_the_world(clock) || !measures_virtually())
        return result;
    int number = !event ? SIGALRM : event->sigev_notify == SIGEV_NONE ? 0 : event->sigev_signo;
    uintptr_t value = event ? (uintptr_t)event->sigev_value.sival_ptr : (uintptr_t)*timer;
    rt_timer_new(RT_TIMER_POSIX, (uintptr_t)*timer, number, value);
    note_clock(RT_TIMER_POSIX, (uintptr_t)*timer, clock);
    return result;
}

static struct itimerspec times_of(const struct rt_timer_setting *setting) {
    return (struct itimerspec){.it_value = split(setting->left),
                               .it_interval = split(setting->interval)};
}

/* false: it is not one of ours. */
static bool set_virtual(enum rt_timer_kind kind, uintptr_t id, bool absolute,
                        const struct itimerspec *value, struct itimerspec *before) {
    struct rt_timer_setting old, setting = {.interval = nanoseconds_of(&value->it_interval),
                                            .left = nanoseconds_of(&value->it_value)};
    if (absolute && setting.left) {
        clockid_t clock = id < CLOCKS ? clocks[kind][id] : CLOCK_MONOTONIC;
        uint64_t deadline = rt_deadline(clock, &value->it_value), now = rt_deadline_after(0);
        setting.left = deadline > now ? deadline - now : 1;
    }
    if (!rt_timer_set(kind, id, &setting, &old))
        return false;
    if (before)
        *before = times_of(&old);
    return true;
}

static bool is_set_virtually(const struct itimerspec *value) {
    return value && is_valid(&value->it_value) && is_valid(&value->it_interval) &&
           measures_virtually();
}

RT_EXPORT int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict value,
                            struct itimerspec *restrict before) {
    bool absolute = flags & TIMER_ABSTIME;
    int descriptor = rt_descriptor_of_timer(timer);
    if (descriptor >= 0)
        return timerfd_settime(descriptor, absolute ? TFD_TIMER_ABSTIME : 0, value, before);
    if (is_set_virtually(value) &&
        set_virtual(RT_TIMER_POSIX, (uintptr_t)timer, absolute, value, before))
        return 0;
    return real_timer_settime()(timer, flags, value, before);
}

RT_EXPORT int timer_gettime(timer_t timer, struct itimerspec *value) {
    struct rt_timer_setting now;
    int descriptor = rt_descriptor_of_timer(timer);
    if (descriptor >= 0)
        return timerfd_gettime(descriptor, value);
    if (!measures_virtually() || !rt_timer_get(RT_TIMER_POSIX, (uintptr_t)timer, &now))
        return real_timer_gettime()(timer, value);
    *value = times_of(&now);
    return 0;
}

RT_EXPORT int timer_delete(timer_t timer) {
    if (!rt_end_timer_threads(timer) && measures_virtually())
        rt_timer_delete(RT_TIMER_POSIX, (uintptr_t)timer);
    return real_timer_delete()(timer);
}

RT_EXPORT int timerfd_create(clockid_t clock, int flags) {
    int fd = real_timerfd_create()(clock, flags);
    if (fd >= 0 && is_of_the_world(clock) && measures_virtually()) {
        rt_timer_new(RT_TIMER_DESCRIPTOR, (uintptr_t)fd, 0, 0);
        note_clock(RT_TIMER_DESCRIPTOR, (uintptr_t)fd, clock);
    }
    return fd;
}

/* Stopping takes away that it was ready. */
RT_EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *value,
                              struct itimerspec *before) {
    static const struct itimerspec stopped;
    bool absolute = flags & TFD_TIMER_ABSTIME;
    if (!is_set_virtually(value) ||
        !set_virtual(RT_TIMER_DESCRIPTOR, (uintptr_t)fd, absolute, value, before))
        return real_timerfd_settime()(fd, flags, value, before);
    return real_timerfd_settime()(fd, 0, &stopped, NULL);
}

RT_EXPORT int timerfd_gettime(int fd, struct itimerspec *value) {
    struct rt_timer_setting now;
    if (!measures_virtually() || !rt_timer_get(RT_TIMER_DESCRIPTOR, (uintptr_t)fd, &now))
        return real_timerfd_gettime()(fd, value);
    *value = times_of(&now);
    return 0;
}
