/* Time is virtual: it grows with what the program does, and jumps when all wait for it. A thread
 * may be arbitrarily slow, so whoever waits for time to pass may also wake before the others do
 * their next step: now and then that is what happens. */
#define _GNU_SOURCE
#include "runtime/control/outside/virtual_time.h"
#include "runtime/control/baton.h"
#include "runtime/control/deviations.h"
#include "runtime/control/outside/outside.h"
#include "runtime/control/outside/signals.h"
#include "runtime/control/outside/timers.h"
#include "runtime/control/points.h"
#include "runtime/control/runners.h"
#include "runtime/control/strategy.h"
#include "runtime/core/system_call.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>

enum { NANOSECONDS_AN_EVENT = 50 };

/* For so long we wait for what is outside before virtual time goes on without it. */
enum { PATIENCE = 100 * 1000 * 1000 };
#define SECOND UINT64_C(1000000000)
#define STARTS_AT (UINT64_C(1000) * SECOND)
#define STARTS_ON (UINT64_C(1700000000) * SECOND)

static uint64_t skipped; /* what was waited for */

static uint64_t real_time(clockid_t clock) {
    struct timespec now = {0};
    rt_system_call(SYS_clock_gettime, clock, (long)&now, 0, 0, 0, 0);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

uint64_t rt_real_nanoseconds(void) {
    return real_time(CLOCK_MONOTONIC);
}

bool rt_time_is_virtual(void) {
    return !rt_has_flag(ST_CONTROL_REAL_TIME);
}

static bool is_date(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

uint64_t rt_now(clockid_t clock) {
    if (rt_has_flag(ST_CONTROL_REAL_TIME))
        return real_time(clock);
    uint64_t passed = rt_control.events * NANOSECONDS_AN_EVENT + skipped;
    rt_control.log->virtual_nanoseconds = passed;
    return (is_date(clock) ? STARTS_ON : STARTS_AT) + passed;
}

uint64_t rt_deadline(clockid_t clock, const struct timespec *until) {
    uint64_t then = (uint64_t)until->tv_sec * SECOND + (uint64_t)until->tv_nsec;
    uint64_t now = rt_now(clock);
    return rt_deadline_after(until->tv_sec < 0 || then < now ? 0 : then - now);
}

uint64_t rt_deadline_after(uint64_t nanoseconds) {
    uint64_t now = rt_now(CLOCK_MONOTONIC);
    return nanoseconds >= RT_FOREVER - now ? RT_FOREVER - 1 : now + nanoseconds;
}

static void skip_to(uint64_t deadline) {
    uint64_t now = rt_now(CLOCK_MONOTONIC);
    if (rt_time_is_virtual() && deadline > now)
        skipped += deadline - now;
}

static void time_out(struct rt_runner *runner) {
    skip_to(runner->deadline);
    runner->timed_out = true;
    rt_make_ready(runner);
}

void rt_time_passed(uint64_t nanoseconds) {
    skipped += nanoseconds;
    rt_control.idle += nanoseconds;
}

enum rt_woken rt_sleep_until(uint64_t deadline, uintptr_t caller) {
    struct rt_runner *me = rt_runner_self;
    rt_point_slow(ST_POINT_SLEEP, NULL, 0, caller);
    pthread_testcancel();
    int error = errno;
    me->busy = true;
    me->clock_reads = 0;
    me->timed_out = me->interrupted = me->woken = false;
    rt_lock_baton();
    rt_make_unready(me, ST_THREAD_SLEEPING);
    rt_add_deadline(me, deadline);
    rt_decide(me, RT_AT_BLOCK);
    me->busy = false;
    rt_handle_due(me);
    pthread_testcancel();
    errno = error;
    return me->interrupted ? RT_INTERRUPTED : RT_TIMED_OUT;
}

/* Clocks that measure what processors do are left alone. */
static bool is_of_the_world(clockid_t clock) {
    return is_date(clock) || clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ||
           clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME;
}

bool rt_read_clock(clockid_t clock, uint64_t *now, uintptr_t caller) {
    enum { FIRST = 1000, LONGEST = 100 * 1000 * 1000, GROWS = 64 };
    static const char clocks;
    struct rt_runner *me = rt_runner_self;
    if (rt_has_flag(ST_CONTROL_REAL_TIME) || !is_of_the_world(clock))
        return false;
    rt_point_slow(ST_POINT_ATOMIC_READ, &clocks, 1, caller);
    uint64_t step = FIRST;
    for (uint64_t i = 0; i < me->clock_reads && i < GROWS && step < LONGEST; i++)
        step += step / 4;
    me->clock_reads++;
    skipped += step;
    *now = rt_now(clock);
    return true;
}

static struct rt_runner *earliest(void) {
    struct rt_control *c = &rt_control;
    struct rt_runner *first = NULL;
    for (uint32_t i = 1; i <= c->timed_count; i++)
        if (!first || c->timed[i]->deadline < first->deadline ||
            (c->timed[i]->deadline == first->deadline && c->timed[i]->index < first->index))
            first = c->timed[i];
    return first;
}

/* Can something come from outside before anybody's time has passed? */
static bool may_come(void) {
    bool others = rt_control.foreign || rt_control.listens;
    return others && (rt_is_somebody_outside() || rt_control.handled);
}

bool rt_is_anything_to_come(void) {
    return rt_is_somebody_outside() || rt_control.timed_count || rt_next_timer() != RT_FOREVER;
}

bool rt_pass_time(void) {
    struct rt_runner *first = earliest(), *last = rt_control.last;
    uint64_t timer = rt_next_timer(), next = first ? first->deadline : RT_FOREVER;
    bool outside = may_come();
    bool real = !rt_time_is_virtual() || (outside && rt_control.idle < PATIENCE) ||
                rt_peek(last, ST_DEVIATION_ARRIVAL, last->arrivals);
    next = timer < next ? timer : next;
    if (next == RT_FOREVER || (real && next > rt_now(CLOCK_MONOTONIC)))
        return false;
    if (timer <= next) {
        skip_to(timer);
        rt_fire_next_timer();
        return true;
    }
    if (outside)
        rt_note_deviation(last, first, ST_DEVIATION_TIME, rt_control.last_time);
    time_out(first);
    return true;
}

/* Seldom; but mostly if those who can go on are held, since the others may wait for them. */
static bool is_early(void) {
    enum { OF = 8 };
    return rt_strategy_holds_all() ? rt_random_below(OF) != 0
                                   : rt_random_below(rt_control.plan->early) == 0;
}

void rt_pass_time_early(struct rt_runner *me, uint32_t ordinal) {
    struct rt_control *c = &rt_control;
    if (!c->timed_count)
        return;
    struct rt_runner *chosen = rt_follow(me, ST_DEVIATION_TIME, ordinal);
    if (!chosen && rt_strategy_is_random() && c->plan->early &&
        !rt_has_flag(ST_CONTROL_REAL_TIME) && is_early())
        chosen = c->timed[1 + rt_random_below(c->timed_count)];
    if (!chosen || chosen == me)
        return;
    rt_note_deviation(me, chosen, ST_DEVIATION_TIME, ordinal);
    time_out(chosen);
}
