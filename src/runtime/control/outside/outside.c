/* Waiting for what is outside of the program: others go on meanwhile.
 *
 * A thread that waits there is parked, and others look without waiting. When it goes on is a
 * decision of the schedule. What a thread of the program sends to another one is noticed when it is
 * sent. What other processes send is noticed when nobody can go on; or, by strategies other than
 * the default, at any decision, which is a deviation. To replay that is to wait, at the same place,
 * until it is really there.
 *
 * A call that cannot be looked at in this way is made without the baton. That it has returned is
 * noticed in the same way. */
#define _GNU_SOURCE
#include "runtime/control/outside/outside.h"
#include "runtime/control/baton.h"
#include "runtime/control/deviations.h"
#include "runtime/control/outside/signals.h"
#include "runtime/control/outside/timers.h"
#include "runtime/control/outside/virtual_time.h"
#include "runtime/control/points.h"
#include "runtime/control/runners.h"
#include "runtime/control/strategy.h"
#include "runtime/control/waiting.h"
#include "runtime/core/system_call.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static struct rt_runner *waiting; /* those that are parked */

bool rt_is_somebody_outside(void) {
    return rt_control.outside;
}

void rt_others_run(void) {
    rt_control.foreign = true;
}

/* A client is no faster in one run than in another. */
void rt_other_has_connected(void) {
    rt_control.foreign |= !rt_has_client();
}

void rt_others_may_connect(void) {
    rt_control.listens = true;
}

void rt_unlink_outside(struct rt_runner *runner) {
    rt_control.outside--;
    if (!runner->awaited)
        return;
    struct rt_runner **at = &waiting;
    while (*at && *at != runner)
        at = &(*at)->next_outside;
    if (*at)
        *at = runner->next_outside;
    runner->awaited = NULL;
}

static bool is_there(const struct rt_runner *runner) {
    return runner->awaited && runner->awaited->is_there(runner->awaited);
}

/* ---- arrivals: with the lock ---- */

static void arrive(struct rt_runner *runner) {
    runner->woken = true;
    rt_make_ready(runner);
}

static void arrive_noted(struct rt_runner *me, struct rt_runner *runner) {
    rt_note_deviation(me, runner, ST_DEVIATION_ARRIVAL, me->arrivals++);
    arrive(runner);
}

/* While others spin, what the plan lets come later is not noticed, unless they do so for long. */
static bool comes_later(const struct rt_runner *runner) {
    enum { LONG = 10000 };
    return runner->arrivals_to_come && rt_control.ready_count && rt_control.yields < LONG;
}

static struct rt_runner *first_there(void) {
    struct rt_runner *first = NULL;
    for (struct rt_runner *at = waiting; at; at = at->next_outside)
        if ((!first || at->index < first->index) && !comes_later(at) && is_there(at))
            first = at;
    return first;
}

static bool take_all(void) {
    bool any = false;
    for (struct rt_runner *next, *at = waiting; at; at = next) {
        next = at->next_outside;
        if (!is_there(at))
            continue;
        arrive(at);
        any = true;
    }
    return any;
}

/* If other processes run, something else could have come instead: that is noted. */
bool rt_look_outside(void) {
    struct rt_runner *last = rt_control.last;
    bool alone =
        rt_control.outside == 1 && !rt_control.timed_count && rt_next_timer() == RT_FOREVER;
    if (!waiting || !rt_control.foreign)
        return waiting && take_all();
    struct rt_runner *named = rt_peek(last, ST_DEVIATION_ARRIVAL, last->arrivals);
    bool planned = named && named->state == ST_THREAD_OUTSIDE;
    if (!planned)
        named = first_there();
    else if (!is_there(named) || !rt_follow(last, ST_DEVIATION_ARRIVAL, last->arrivals))
        return false;
    if (named && alone && !planned)
        arrive(named);
    else if (named)
        arrive_noted(last, named);
    return named;
}

bool rt_wait_really(bool (*there)(const void *what), const void *what) {
    enum { NAP = 200 * 1000 };
    static const struct timespec nap = {.tv_nsec = NAP};
    /* When less is tried than was seen, what the rest needs may never come. */
    uint64_t patience =
        rt_has_flag(ST_CONTROL_DIVERGE) ? UINT64_C(300000000) : UINT64_C(10000000000);
    uint64_t until = rt_real_nanoseconds() + patience;
    while (!there(what)) {
        if (rt_real_nanoseconds() > until)
            return false;
        rt_unlock_baton();
        rt_system_call(SYS_nanosleep, (long)&nap, 0, 0, 0, 0, 0);
        rt_lock_baton();
    }
    return true;
}

static bool is_runner_there(const void *runner) {
    return is_there(runner);
}

/* Under a strategy, whatever is there at some decisions. */
static void notice_all(struct rt_runner *me) {
    enum { OFTEN = 8 };
    if (me->kind != ST_POINT_IO && rt_control.log->decisions % OFTEN)
        return;
    for (struct rt_runner *next, *at = waiting; at; at = next) {
        next = at->next_outside;
        if (is_there(at))
            arrive_noted(me, at);
    }
}

/* Those that the plan names from this ordinal on. */
static void follow_arrivals(struct rt_runner *me, uint32_t *ordinal) {
    struct rt_runner *named;
    while ((named = rt_peek(me, ST_DEVIATION_ARRIVAL, *ordinal)) && named != me) {
        if (!rt_follow(me, ST_DEVIATION_ARRIVAL, *ordinal))
            return;
        if (!rt_wait_really(is_runner_there, named)) {
            rt_cannot_follow();
            continue;
        }
        rt_note_deviation(me, named, ST_DEVIATION_ARRIVAL, (*ordinal)++);
        arrive(named);
    }
}

void rt_take_arrivals(struct rt_runner *me) {
    follow_arrivals(me, &me->arrivals);
    if (waiting && rt_strategy_is_random() && rt_control.foreign)
        notice_all(me);
}

/* ---- for the watchdog ---- */

void rt_sleep_outside(const struct timespec *nap) {
    enum { MOST = 256 };
    struct pollfd all[MOST];
    size_t count = 0;
    rt_lock_baton();
    for (struct rt_runner *at = waiting; at; at = at->next_outside)
        for (size_t i = 0; i < at->awaited->count && count < MOST; i++)
            all[count++] = at->awaited->descriptors[i];
    rt_unlock_baton();
    rt_system_call(SYS_ppoll, (long)all, (long)count, (long)nap, 0, 8, 0);
}

/* ---- waiting ---- */

/* With the lock, which it lets go of. */
static void park_outside(struct rt_runner *me, const struct rt_awaited *awaited,
                         uint64_t deadline) {
    me->clock_reads = 0;
    me->woken = me->timed_out = me->interrupted = false;
    rt_make_unready(me, ST_THREAD_OUTSIDE);
    me->awaited = awaited;
    me->there_before = false;
    me->next_outside = waiting;
    waiting = me;
    rt_add_deadline(me, deadline);
    rt_decide(me, RT_AT_BLOCK);
}

static bool is_awaited_there(const void *awaited) {
    const struct rt_awaited *what = awaited;
    return what->is_there(what);
}

/* Is it there already, so that nobody need wait? If others may have sent it, that is a decision. */
static bool is_there_now(struct rt_runner *me, const struct rt_awaited *awaited) {
    if (awaited->at_once || (!rt_control.foreign && awaited->may_be_ours))
        return awaited->is_there(awaited);
    bool there = false;
    rt_lock_baton();
    if (rt_peek(me, ST_DEVIATION_ARRIVAL, me->arrivals) == me) {
        rt_follow(me, ST_DEVIATION_ARRIVAL, me->arrivals);
        there = rt_wait_really(is_awaited_there, awaited);
        if (!there)
            rt_cannot_follow();
    } else if (rt_strategy_is_random()) {
        there = awaited->is_there(awaited);
    }
    if (there)
        rt_note_deviation(me, me, ST_DEVIATION_ARRIVAL, me->arrivals++);
    rt_unlock_baton();
    return there;
}

/* ---- looking ---- */

bool rt_do_others_run(void) {
    return rt_control.foreign;
}

/* A replay does not find what the schedule does not know of: it was faster this time. Nor does it
 * find what comes later. But what never comes as planned, as less is tried than was seen, must not
 * be missed for ever. */
static bool is_denied(struct rt_runner *me) {
    const uint32_t most = rt_has_flag(ST_CONTROL_DIVERGE) ? 100 : 100000;
    bool replays = !rt_strategy_is_random() && !rt_control.learning;
    return (replays || me->arrivals_to_come) && me->denied++ < most;
}

/* With the lock. */
static bool decide_look(struct rt_runner *me, const struct rt_awaited *awaited) {
    bool there;
    if (rt_peek(me, ST_DEVIATION_ARRIVAL, me->arrivals) == me) {
        rt_follow(me, ST_DEVIATION_ARRIVAL, me->arrivals);
        there = rt_wait_really(is_awaited_there, awaited);
        if (!there)
            rt_cannot_follow();
    } else {
        there = !is_denied(me) && awaited->is_there(awaited);
    }
    if (there) {
        me->denied = 0;
        rt_note_deviation(me, me, ST_DEVIATION_ARRIVAL, me->arrivals++);
    }
    return there;
}

bool rt_look_at(const struct rt_awaited *awaited, uintptr_t caller) {
    struct rt_runner *me = rt_runner_self;
    if (!rt_takes_turns())
        return true;
    rt_point_slow(ST_POINT_YIELD, NULL, 0, caller);
    if (!rt_control.foreign)
        return true;
    int error = errno;
    me->busy = true;
    rt_lock_baton();
    bool there = decide_look(me, awaited);
    rt_unlock_baton();
    me->busy = false;
    errno = error;
    return there;
}

/* ---- waiting until it is there ---- */

enum rt_woken rt_await(const struct rt_awaited *awaited, uint64_t deadline, uintptr_t caller) {
    struct rt_runner *me = rt_runner_self;
    rt_point_slow(ST_POINT_IO, NULL, 0, caller);
    int error = errno;
    me->busy = true;
    enum rt_woken woken = RT_WOKEN;
    if (!is_there_now(me, awaited)) {
        rt_lock_baton();
        park_outside(me, awaited, deadline);
        woken = me->woken ? RT_WOKEN : me->timed_out ? RT_TIMED_OUT : RT_INTERRUPTED;
    }
    me->busy = false;
    rt_handle_due(me);
    errno = error;
    return woken;
}

/* ---- descriptors ---- */

static long poll_now(struct pollfd *descriptors, size_t count) {
    struct timespec none = {0};
    return rt_system_call(SYS_ppoll, (long)descriptors, (long)count, (long)&none, 0, 8, 0);
}

static bool is_ready(const struct rt_awaited *awaited) {
    return poll_now(awaited->descriptors, awaited->count) != 0;
}

/* Files are always ready, whoever writes them. */
static bool is_file(int descriptor) {
    struct stat status;
    return rt_system_call(SYS_fstat, descriptor, (long)&status, 0, 0, 0, 0) < 0 ||
           S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) || S_ISBLK(status.st_mode);
}

enum rt_woken rt_wait_for(struct pollfd *descriptors, size_t count, uint64_t deadline,
                          uintptr_t caller) {
    struct rt_awaited awaited = {
        .is_there = is_ready, .descriptors = descriptors, .count = count, .may_be_ours = true};
    return rt_await(&awaited, deadline, caller);
}

bool rt_look_at_descriptors(struct pollfd *descriptors, size_t count, uintptr_t caller) {
    const struct rt_awaited awaited = {
        .is_there = is_ready, .descriptors = descriptors, .count = count};
    return rt_look_at(&awaited, caller);
}

static bool never_waits(int descriptor) {
    long flags = rt_system_call(SYS_fcntl, descriptor, F_GETFL, 0, 0, 0, 0);
    return flags < 0 || flags & O_NONBLOCK;
}

/* Whoever gets something by what is written now had nothing before. */
void rt_will_write_slow(void) {
    struct rt_runner *me = rt_runner_self;
    if (!waiting || !rt_control.foreign || !rt_takes_turns())
        return;
    me->busy = true;
    rt_lock_baton();
    for (struct rt_runner *at = waiting; at; at = at->next_outside)
        at->there_before = is_there(at);
    rt_unlock_baton();
    me->busy = false;
}

void rt_opens_slow(const char *path) {
    static const char terminal[] = "/dev/tty";
    size_t i = 0;
    while (path && i < sizeof terminal - 1 && path[i] == terminal[i])
        i++;
    if (path && path[i] == terminal[i])
        rt_control.log->wanted_terminal = 1;
}

/* The program reads from standard input: it matters if there is none. */
void rt_note_input(void) {
    struct stat status;
    if (!rt_control.log->wanted_input && fstat(STDIN_FILENO, &status) == 0 &&
        S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3)) /* /dev/null */
        rt_control.log->wanted_input = 1;
}

bool rt_wait_for_one_slow(int descriptor, short events, uintptr_t caller) {
    struct pollfd one = {.fd = descriptor, .events = events};
    struct rt_runner *me = rt_runner_self;
    if (!rt_takes_turns())
        return true;
    if (descriptor == STDIN_FILENO && events == POLLIN)
        rt_note_input();
    struct rt_awaited awaited = {.is_there = is_ready,
                                 .descriptors = &one,
                                 .count = 1,
                                 .may_be_ours = true,
                                 .at_once = !rt_control.foreign || events != POLLIN ||
                                            is_file(descriptor)};
    if (never_waits(descriptor) && !awaited.at_once) {
        if (!rt_look_at(&awaited, caller)) {
            errno = EAGAIN;
            return false;
        }
    } else if (never_waits(descriptor)) {
        rt_point_slow(ST_POINT_IO, NULL, 0, caller);
    } else {
        while (rt_await(&awaited, RT_FOREVER, caller) == RT_INTERRUPTED)
            if (!me->restarts) {
                errno = EINTR;
                return false;
            }
    }
    if (events == POLLOUT)
        rt_will_write_slow();
    return true;
}

/* With the lock. What was written may be what others wait for; while other processes run, it may
 * also be theirs, so it is noted: behind the operation of this clock, and not before it. */
static void wake_readers(struct rt_runner *me) {
    enum { BEHIND = 1 << 15 };
    uint32_t ordinal = BEHIND;
    follow_arrivals(me, &ordinal);
    for (struct rt_runner *next, *at = waiting; at; at = next) {
        next = at->next_outside;
        if (!at->awaited->may_be_ours || !is_there(at))
            continue;
        if (rt_control.foreign && (at->there_before || at->arrivals_to_come))
            continue;
        if (rt_control.foreign)
            rt_note_deviation(me, at, ST_DEVIATION_ARRIVAL, ordinal++);
        arrive(at);
    }
}

void rt_written_slow(void) {
    if (!rt_takes_turns())
        return;
    rt_changed_slow();
    if (!waiting)
        return;
    rt_runner_self->busy = true;
    rt_lock_baton();
    wake_readers(rt_runner_self);
    rt_unlock_baton();
    rt_runner_self->busy = false;
}

/* ---- the client ---- */

void rt_ask_client(void) {
    uint32_t held = ST_CLIENT_HELD;
    atomic_compare_exchange_strong(rt_control.client, &held, ST_CLIENT_ASKED);
}

/* ---- other calls ---- */

bool rt_go_outside(uintptr_t caller) {
    struct rt_runner *me = rt_runner_self;
    if (!rt_takes_turns())
        return false;
    rt_point_slow(ST_POINT_IO, NULL, 0, caller);
    int error = errno;
    me->busy = true;
    me->clock_reads = 0;
    rt_lock_baton();
    rt_leave_baton(me);
    me->busy = false;
    errno = error;
    return true;
}

static bool has_returned(const struct rt_awaited *awaited) {
    (void)awaited;
    return true;
}

void rt_come_inside(void) {
    static const struct rt_awaited returned = {.is_there = has_returned};
    struct rt_runner *me = rt_runner_self;
    int error = errno;
    me->busy = true;
    rt_lock_baton();
    me->awaited = &returned;
    me->next_outside = waiting;
    waiting = me;
    rt_return(me);
    me->busy = false;
    rt_handle_due(me);
    errno = error;
}
