#define _GNU_SOURCE
#include "runtime/control/outside/watchdog.h"
#include "runtime/control/baton.h"
#include "runtime/control/outside/outside.h"
#include "runtime/control/outside/signals.h"
#include "runtime/control/outside/virtual_time.h"
#include "runtime/control/runners.h"
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

/* What the kernel says of a thread. */
struct task {
    char state;     /* 'R', 'S', ...; 0: gone */
    uint64_t ticks; /* of a processor, so far: hundredths of a second */
};

/* The text behind the name of the program, which may contain anything: " S 1 2 3 ...". */
static struct task parse_task(const char *text) {
    enum { USER = 11, SYSTEM = 12 }; /* fields behind the state */
    struct task task = {.state = text[1]};
    unsigned field = 0;
    uint64_t value = 0;
    for (const char *at = text + 2; *at && field <= SYSTEM; at++) {
        if (*at == ' ') {
            task.ticks += field == USER || field == SYSTEM ? value : 0;
            field++;
            value = 0;
        } else {
            value = 10 * value + (uint64_t)(*at - '0');
        }
    }
    return task;
}

static struct task look_at_task(int tid) {
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
        return (struct task){0};
    long got = rt_system_call(SYS_read, fd, (long)text, sizeof text - 1, 0, 0, 0);
    rt_system_call(SYS_close, fd, 0, 0, 0, 0, 0);
    text[got > 0 ? got : 0] = '\0';
    for (long i = got - 3; i > 0; i--)
        if (text[i] == ')')
            return parse_task(text + i + 1);
    return (struct task){0};
}

/* With the lock. */
static void take_baton_from(struct rt_runner *holder) {
    struct rt_control *c = &rt_control;
    c->log->loose++;
    holder->loose = true;
    holder->calm_until = 0;
    atomic_store(&holder->running, false);
    atomic_store(&holder->go, 0);
    rt_make_unready(holder, ST_THREAD_OUTSIDE);
    atomic_store(&c->current, NULL);
    rt_dispatch();
}

/* What was seen of the one with the baton, and how often in a row it was asleep. */
static struct {
    const struct rt_runner *runner;
    uint64_t beats, clock, ticks;
    unsigned asleep;
} suspect;

static void suspect_anew(const struct rt_runner *holder) {
    bool any = holder && holder->tid;
    suspect.runner = holder;
    suspect.beats = atomic_load(&beats);
    suspect.clock = holder ? holder->clock : 0;
    suspect.ticks = any ? look_at_task(holder->tid).ticks : 0;
    suspect.asleep = 0;
}

static bool is_same(const struct rt_runner *holder) {
    return holder == suspect.runner && atomic_load(&beats) == suspect.beats &&
           holder->clock == suspect.clock;
}

/* It has used a processor for long, without an event: does it wait for others in code that is not
 * ours? It may also be computing, so it gets more time than who sleeps. */
static bool spins_unseen(const struct task *task) {
    enum { FIRST = 100, THEN = 10 };
    bool others = rt_control.ready_count > 1 || rt_control.timed_count;
    return others && task->ticks - suspect.ticks >= (rt_control.log->loose ? THEN : FIRST);
}

static void look_at_holder(void) {
    enum { ASLEEP = 2 };
    struct rt_runner *holder = atomic_load(&rt_control.current);
    if (!holder || !atomic_load(&holder->running) || !is_same(holder) || holder->patient ||
        atomic_load(&rt_head->waiting)) {
        suspect_anew(holder);
        return;
    }
    struct task task = look_at_task(holder->tid);
    suspect.asleep = task.state == 'S' ? suspect.asleep + 1 : 0;
    if (suspect.asleep < ASLEEP && !spins_unseen(&task))
        return;
    rt_lock_baton();
    if (atomic_load(&rt_control.current) == holder && atomic_load(&holder->running) &&
        is_same(holder))
        take_baton_from(holder);
    rt_unlock_baton();
    suspect_anew(NULL);
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
