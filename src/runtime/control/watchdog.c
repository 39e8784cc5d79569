#define _GNU_SOURCE
#include "runtime/control/watchdog.h"
#include "runtime/control/strategy.h"
#include "runtime/core/system_call.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>

static _Atomic uint64_t beats;
static struct rt_runner *_Atomic on_watch;

void rt_beat(void) {
    atomic_store_explicit(&beats, atomic_load_explicit(&beats, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

/* ---- whose watch it is ---- */

static bool is_parked(const struct rt_runner *runner) {
    return runner->tid && runner->state != ST_THREAD_ENDED && !atomic_load(&runner->go) &&
           (runner->state != ST_THREAD_OUTSIDE || runner->awaited);
}

/* Who is on watch already stays it, unless it is to go on: a timer for each hand-over would cost as
 * much as the rest of it. */
void rt_watchdog_take(struct rt_runner *me, const struct rt_runner *next) {
    const struct rt_runner *before = atomic_load(&on_watch);
    if (!before || !next || before == next || !is_parked(before))
        atomic_store(&on_watch, me);
}

/* Wakes a parked thread, which then finds that it is on watch. */
static void appoint(const struct rt_runner *but) {
    rt_lock_baton();
    struct rt_runner *other = rt_control.live;
    while (other && (other == but || !is_parked(other)))
        other = other->next_live;
    atomic_store(&on_watch, other);
    rt_unlock_baton();
    if (other)
        rt_system_call(SYS_futex, (long)&other->go, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

/* Who was on watch goes on: unless who gave it the baton is on watch now, another one has to be. */
void rt_watchdog_resign(struct rt_runner *me) {
    if (atomic_load(&on_watch) == me)
        appoint(me);
}

void rt_watchdog_offer(struct rt_runner *me) {
    struct rt_runner *nobody = NULL;
    atomic_compare_exchange_strong(&on_watch, &nobody, me);
}

void rt_watchdog_wanted(void) {
    if (!atomic_load(&on_watch))
        appoint(NULL);
}

bool rt_is_on_watch(const struct rt_runner *me) {
    return atomic_load(&on_watch) == me;
}

/* ---- is it stuck? ---- */

/* 'R', 'S', ...; 0: gone. */
static char state_of_task(int tid) {
    char path[64] = "/proc/self/task/", digits[12], text[512];
    size_t length = 16, count = 0;
    for (int rest = tid; rest; rest /= 10)
        digits[count++] = (char)('0' + rest % 10);
    while (count)
        path[length++] = digits[--count];
    for (const char *tail = "/stat"; *tail; tail++)
        path[length++] = *tail;
    path[length] = '\0';
    long fd = rt_system_call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
    if (fd < 0)
        return 0;
    long got = rt_system_call(SYS_read, fd, (long)text, sizeof text - 1, 0, 0, 0);
    rt_system_call(SYS_close, fd, 0, 0, 0, 0, 0);
    for (long i = got - 3; i > 0; i--)
        if (text[i] == ')')
            return text[i + 2];
    return 0;
}

/* With the lock. */
static void take_baton_from(struct rt_runner *holder) {
    struct rt_control *c = &rt_control;
    c->log->loose++;
    holder->loose = true;
    atomic_store(&holder->running, false);
    atomic_store(&holder->go, 0);
    rt_make_unready(holder, ST_THREAD_OUTSIDE);
    atomic_store(&c->current, NULL);
    rt_dispatch();
}

static void look_at_holder(void) {
    static uint64_t seen;
    static unsigned times;
    static const struct rt_runner *suspect;
    enum { ASLEEP = 2 };
    struct rt_runner *holder = atomic_load(&rt_control.current);
    uint64_t now = atomic_load(&beats);
    if (!holder || !atomic_load(&holder->running) || now != seen || holder != suspect ||
        holder->patient || atomic_load(&rt_head->waiting) || state_of_task(holder->tid) != 'S') {
        seen = now;
        suspect = holder;
        times = 0;
        return;
    }
    if (++times < ASLEEP)
        return;
    times = 0;
    rt_lock_baton();
    if (atomic_load(&rt_control.current) == holder && atomic_load(&holder->running) &&
        atomic_load(&beats) == now)
        take_baton_from(holder);
    rt_unlock_baton();
}

/* Lets a client have its turn. false: it has not had it yet. Real time that passes meanwhile does
 * not count, as it differs from run to run. */
static bool wait_for_client(void) {
    enum { NAP = 200 * 1000, IN_VAIN = 1000 * 1000 };
    static const struct timespec nap = {.tv_nsec = NAP};
    static bool asked;
    if (asked && atomic_load(rt_control.client) != ST_CLIENT_ASKED) {
        asked = false;
        rt_lock_baton();
        rt_control.idle += IN_VAIN; /* unless somebody can go on now */
        rt_unlock_baton();
        return true;
    }
    rt_ask_client();
    asked = true;
    rt_system_call(SYS_nanosleep, (long)&nap, 0, 0, 0, 0, 0);
    return false;
}

/* Nobody has the baton: those who wait for something outside, or for time, may go on. */
static void look_around(void) {
    static const struct timespec nap = {.tv_nsec = 1000 * 1000};
    uint64_t before = rt_real_nanoseconds();
    bool alone = !rt_has_client();
    if (alone)
        rt_sleep_outside(&nap);
    else if (!wait_for_client())
        return;
    rt_lock_baton();
    if (alone)
        rt_time_passed(rt_real_nanoseconds() - before);
    if (!atomic_load(&rt_control.current)) {
        if (!rt_look_for_signals() && !rt_look_outside())
            rt_pass_time();
        rt_dispatch();
    }
    rt_unlock_baton();
}

void rt_watchdog(struct rt_runner *me) {
    /* A program that waits unseen once does so again. */
    bool known = rt_control.log->loose != 0;
    struct timespec nap = {.tv_nsec = (known ? 1 : 30) * 1000 * 1000};
    if (!atomic_load(&rt_control.current)) {
        look_around();
        return;
    }
    rt_system_call(SYS_futex, (long)&me->go, FUTEX_WAIT_PRIVATE, 0, (long)&nap, 0, 0);
    if (!atomic_load(&me->go))
        look_at_holder();
}
