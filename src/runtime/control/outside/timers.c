/* Timers of the program, in virtual time: alarm and setitimer, timer_create, timerfd. They fire
 * when time passes, or when a strategy lets it pass early for one of them.
 *
 * A timer with a signal sends it to the process as the kernel would. One with a descriptor is a
 * real one, too, which is set to a moment that has passed. */
#define _GNU_SOURCE
#include "runtime/control/outside/timers.h"
#include "runtime/control/outside/signals.h"
#include "runtime/control/outside/virtual_time.h"
#include "runtime/core/system_call.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

enum { TIMERS = 256 };

/* Invariant: deadline is RT_FOREVER while it is stopped. */
struct timer {
    bool used;
    enum rt_timer_kind kind;
    uintptr_t id, value;
    int signal;
    uint64_t deadline, interval;
};
static struct timer timers[TIMERS];
static uint32_t count; /* none is used behind that */

/* So often in a row they fired, and nobody did anything. */
static uint32_t in_vain;
enum { MOST_IN_VAIN = 1000 };

static struct timer *find(enum rt_timer_kind kind, uintptr_t id) {
    for (uint32_t i = 0; i < count; i++)
        if (timers[i].used && timers[i].kind == kind && timers[i].id == id)
            return &timers[i];
    return NULL;
}

/* ---- firing: with the lock ---- */

static struct timer *earliest_timer(void) {
    struct timer *first = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (timers[i].used && timers[i].deadline != RT_FOREVER &&
            (!first || timers[i].deadline < first->deadline))
            first = &timers[i];
    return first;
}

uint64_t rt_next_timer(void) {
    const struct timer *first = count && in_vain < MOST_IN_VAIN ? earliest_timer() : NULL;
    return first ? first->deadline : RT_FOREVER;
}

static void send(const struct timer *timer) {
    siginfo_t info = {.si_signo = timer->signal};
    info.si_code = timer->kind == RT_TIMER_POSIX ? SI_TIMER : SI_KERNEL;
    if (timer->kind == RT_TIMER_POSIX)
        info.si_value.sival_ptr = (void *)timer->value;
    long process = rt_system_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
    rt_system_call(SYS_rt_sigqueueinfo, process, timer->signal, (long)&info, 0, 0, 0);
}

/* Its real timer is over at once; the kernel takes a moment to notice. */
static void make_descriptor_ready(const struct timer *timer) {
    struct itimerspec now = {.it_value = {.tv_nsec = 1}};
    struct pollfd one = {.fd = (int)timer->id, .events = POLLIN};
    struct timespec moment = {.tv_nsec = 50 * 1000 * 1000};
    rt_system_call(SYS_timerfd_settime, (long)timer->id, 0, (long)&now, 0, 0, 0);
    rt_system_call(SYS_ppoll, (long)&one, 1, (long)&moment, 0, 8, 0);
}

static void fire(struct timer *timer) {
    timer->deadline = timer->interval ? timer->deadline + timer->interval : RT_FOREVER;
    if (timer->kind == RT_TIMER_DESCRIPTOR)
        make_descriptor_ready(timer);
    else if (timer->signal)
        send(timer);
}

void rt_fire_next_timer(void) {
    static uint64_t events;
    struct timer *timer = earliest_timer();
    int number = timer->signal;
    in_vain = events == rt_control.events ? in_vain + 1 : 0;
    events = rt_control.events;
    fire(timer);
    if (number && rt_control.handled >> (number - 1) & 1)
        rt_signal_came(rt_control.last, number);
}

bool rt_fire_timer_with(int number) {
    for (uint32_t i = 0; i < count; i++)
        if (timers[i].used && timers[i].deadline != RT_FOREVER && timers[i].signal == number) {
            fire(&timers[i]);
            return true;
        }
    return false;
}

int rt_any_timer_signal(void) {
    for (uint32_t i = 0; i < count; i++)
        if (timers[i].used && timers[i].deadline != RT_FOREVER && timers[i].signal)
            return timers[i].signal;
    return 0;
}

/* ---- for interposed functions ---- */

bool rt_timer_new(enum rt_timer_kind kind, uintptr_t id, int signal, uintptr_t value) {
    struct timer *timer = find(kind, id);
    for (uint32_t i = 0; i < TIMERS && !timer; i++)
        if (!timers[i].used)
            timer = &timers[i];
    if (!timer || !rt_time_is_virtual())
        return false;
    *timer = (struct timer){.used = true,
                            .kind = kind,
                            .id = id,
                            .value = value,
                            .signal = signal,
                            .deadline = RT_FOREVER};
    if (timer >= timers + count)
        count = (uint32_t)(timer - timers) + 1;
    return true;
}

static struct rt_timer_setting setting_of(const struct timer *timer) {
    uint64_t now = rt_now(CLOCK_MONOTONIC);
    bool stopped = timer->deadline == RT_FOREVER;
    uint64_t left = stopped ? 0 : timer->deadline > now ? timer->deadline - now : 1;
    return (struct rt_timer_setting){left, stopped ? 0 : timer->interval};
}

bool rt_timer_get(enum rt_timer_kind kind, uintptr_t id, struct rt_timer_setting *now) {
    const struct timer *timer = find(kind, id);
    if (timer)
        *now = setting_of(timer);
    return timer;
}

bool rt_timer_set(enum rt_timer_kind kind, uintptr_t id, const struct rt_timer_setting *setting,
                  struct rt_timer_setting *before) {
    struct timer *timer = find(kind, id);
    if (!timer)
        return false;
    in_vain = 0;
    if (before)
        *before = setting_of(timer);
    timer->deadline = setting->left ? rt_deadline_after(setting->left) : RT_FOREVER;
    timer->interval = setting->interval;
    return true;
}

bool rt_timer_delete(enum rt_timer_kind kind, uintptr_t id) {
    struct timer *timer = find(kind, id);
    if (timer)
        timer->used = false;
    return timer;
}
