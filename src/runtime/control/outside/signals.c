/* Signals and cancellation.
 *
 * A signal with a handler is always blocked, and handled where its thread has the baton and is at a
 * point: there it is unblocked for a moment. Which signals the program itself has blocked is known
 * from its calls. A thread that is parked has all signals blocked.
 *
 * What the program sends itself is due at once, for the thread that gets it, in each run in the
 * same place. What comes from outside is noticed like everything else from there (outside.c): when
 * nobody can go on, or at some decision of a strategy; and it is always noted, so that a replay
 * waits for it in the same place.
 *
 * Those that are a consequence of an instruction come at once, and so do those of profilers. */
#define _GNU_SOURCE
#include "runtime/control/outside/signals.h"
#include "runtime/control/baton.h"
#include "runtime/control/deviations.h"
#include "runtime/control/outside/outside.h"
#include "runtime/control/outside/timers.h"
#include "runtime/control/points.h"
#include "runtime/control/runners.h"
#include "runtime/control/strategy.h"
#include "runtime/core/system_call.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

static uint64_t bit_of(int number) {
    return UINT64_C(1) << (number - 1);
}

/* Somebody will handle these. */
static uint64_t assigned;

static bool is_blocked_by(const struct rt_runner *runner, int number) {
    return runner->mask & bit_of(number);
}

/* As the kernel has it. */
struct action {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

static struct action action_of(int number) {
    struct action now = {0};
    rt_system_call(SYS_rt_sigaction, number, 0, (long)&now, sizeof now.mask, 0, 0);
    return now;
}

static bool is_ignored(int number) {
    struct action now = action_of(number);
    bool by_default = now.handler == SIG_DFL && (number == SIGCHLD || number == SIGURG ||
                                                 number == SIGWINCH || number == SIGCONT);
    return now.handler == SIG_IGN || by_default;
}

static bool is_at_once(int number) {
    static const int numbers[] = {SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,   SIGTRAP,
                                  SIGSYS,  SIGABRT, SIGPROF, SIGVTALRM};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

/* ---- masks ---- */

static void set_real_mask(uint64_t mask) {
    rt_system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, sizeof mask, 0, 0);
}

void rt_block_all_signals(void) {
    set_real_mask(UINT64_MAX);
}

void rt_restore_signals(const struct rt_runner *me) {
    set_real_mask(me->mask | rt_control.handled);
}

void rt_first_mask(struct rt_runner *me) {
    rt_system_call(SYS_rt_sigprocmask, SIG_SETMASK, 0, (long)&me->mask, sizeof me->mask, 0, 0);
    for (int number = 1; number <= 64; number++)
        if (!is_at_once(number) && (uintptr_t)action_of(number).handler > (uintptr_t)SIG_IGN)
            rt_control.handled |= bit_of(number);
    rt_restore_signals(me);
}

uint64_t rt_signal_mask(void) {
    return rt_runner_self->mask;
}

/* What the program had sent itself before is due when it is unblocked. */
static void take_sent(struct rt_runner *me) {
    uint64_t now = (me->sent | rt_control.sent) & ~me->mask;
    me->sent &= ~now;
    rt_control.sent &= ~now;
    me->due |= now & rt_control.handled;
    assigned |= now & rt_control.handled;
}

void rt_set_signal_mask(uint64_t mask) {
    static const uint64_t never = UINT64_C(3) << 31; /* glibc needs 32 and 33 */
    struct rt_runner *me = rt_runner_self;
    me->mask = mask & ~(never | bit_of(SIGKILL) | bit_of(SIGSTOP));
    take_sent(me);
    rt_restore_signals(me);
    rt_handle_due(me);
}

void rt_handler_set(int number, bool handler) {
    if (number < 1 || number > 64 || is_at_once(number))
        return;
    if (handler)
        rt_control.handled |= bit_of(number);
    else
        rt_control.handled &= ~bit_of(number);
    rt_restore_signals(rt_runner_self);
}

void rt_show_signals(void) {
    if (rt_runner_self && rt_control.handled)
        set_real_mask(rt_runner_self->mask);
}

void rt_hide_signals(void) {
    if (rt_runner_self && rt_control.handled)
        rt_restore_signals(rt_runner_self);
}

/* ---- handling ---- */

void rt_handle_due_slow(struct rt_runner *me) {
    uint64_t now = me->due & ~me->mask;
    if (!now || me->handling || me->busy)
        return;
    me->due &= ~now;
    assigned &= ~now;
    me->handling = true;
    me->handlers++;
    me->handler_frame = (uintptr_t)__builtin_frame_address(0);
    rt_system_call(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&now, 0, sizeof now, 0, 0);
    me->handling = false;
    rt_restore_signals(me);
}

void rt_handler_left(uintptr_t stack) {
    struct rt_runner *me = rt_runner_self;
    if (me && me->handling && stack > me->handler_frame)
        me->handling = false;
}

static bool is_in_call(const struct rt_runner *runner) {
    return runner->state == ST_THREAD_OUTSIDE && !runner->awaited;
}

/* With the lock. It goes on where it waits; who can go on already does so anyway. */
static void interrupt(struct rt_runner *runner, bool by_signal) {
    if (runner->state == ST_THREAD_READY || runner->state == ST_THREAD_ENDED || is_in_call(runner))
        return;
    runner->interrupted = by_signal;
    rt_make_ready(runner);
}

static struct rt_runner *runner_of(uintptr_t thread) {
    struct rt_runner *runner = rt_control.live;
    while (runner && runner->thread != thread)
        runner = runner->next_live;
    return runner;
}

/* With the lock: the first thread that would handle it. */
static struct rt_runner *handler_of(int number) {
    struct rt_runner *first = NULL;
    for (struct rt_runner *at = rt_control.live; at; at = at->next_live)
        if (!is_blocked_by(at, number) && !is_in_call(at) && (!first || at->index < first->index))
            first = at;
    return first;
}

/* With the lock: it is for this thread, which does not block it. */
static void make_due(struct rt_runner *runner, int number) {
    if (rt_control.handled & bit_of(number)) {
        runner->due |= bit_of(number);
        assigned |= bit_of(number);
        runner->restarts = action_of(number).flags & SA_RESTART;
    }
    interrupt(runner, true);
}

/* Who is about to go on handles it rather than somebody who waits. */
void rt_signal_came(struct rt_runner *me, int number) {
    bool mine = me && me->state == ST_THREAD_READY && !is_blocked_by(me, number);
    struct rt_runner *runner = mine ? me : handler_of(number);
    if (runner)
        make_due(runner, number);
}

/* ---- what the program sends itself ---- */

/* With the lock: who waits for it with sigwait need not wait any more. */
static void wake_waiting(void) {
    for (struct rt_runner *at = rt_control.live; at; at = at->next_live)
        if (at->state == ST_THREAD_OUTSIDE && at->awaited && !at->awaited->descriptors &&
            at->awaited->may_be_ours && at->awaited->is_there(at->awaited)) {
            at->woken = true;
            rt_make_ready(at);
        }
}

void rt_signal_sent(uintptr_t thread, int number) {
    struct rt_runner *me = rt_runner_self;
    if (!rt_takes_turns() || number < 1 || number > 64)
        return;
    me->busy = true;
    rt_lock_baton();
    struct rt_runner *runner = thread                      ? runner_of(thread)
                               : is_blocked_by(me, number) ? handler_of(number)
                                                           : me;
    bool blocked = !runner || is_blocked_by(runner, number);
    if (blocked && (!thread || runner)) {
        *(thread ? &runner->sent : &rt_control.sent) |= bit_of(number);
        wake_waiting();
    } else if (!blocked && !is_ignored(number)) {
        make_due(runner, number);
    }
    rt_unlock_baton();
    me->busy = false;
    rt_handle_due(me);
}

void rt_cancel_sent(uintptr_t thread) {
    struct rt_runner *me = rt_runner_self;
    if (!rt_takes_turns())
        return;
    me->busy = true;
    rt_lock_baton();
    struct rt_runner *runner = runner_of(thread);
    if (runner && runner != me)
        interrupt(runner, false);
    rt_unlock_baton();
    me->busy = false;
}

/* ---- what comes from outside ---- */

static uint64_t pending_now(void) {
    uint64_t pending = 0;
    rt_system_call(SYS_rt_sigpending, (long)&pending, sizeof pending, 0, 0, 0, 0);
    return pending;
}

/* What the plan lets come later is left for then, unless nothing else happens for long. */
static bool is_for_later(int number) {
    static const uint64_t long_idle = 1000000000;
    return rt_is_signal_planned(number) && rt_control.idle < long_idle;
}

/* Of those that came from outside and that somebody would handle; 0: none. */
static int find_pending(void) {
    uint64_t pending = pending_now() & rt_control.handled & ~assigned & ~rt_control.sent;
    for (int number = 1; number <= 64 && pending >> (number - 1); number++)
        if (pending & bit_of(number) && !is_for_later(number) && handler_of(number))
            return number;
    return 0;
}

/* One without a handler ends the program, or stops it, where nobody blocks it. */
static void let_through(void) {
    uint64_t pending = pending_now() & ~rt_control.handled;
    for (int number = 1; number <= 64 && pending >> (number - 1); number++)
        if (pending & bit_of(number) && !is_ignored(number) && handler_of(number)) {
            uint64_t one = bit_of(number);
            rt_system_call(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&one, 0, sizeof one, 0, 0);
        }
}

bool rt_look_for_signals(void) {
    if (!atomic_load(&rt_control.current))
        let_through();
    int number = rt_control.handled ? find_pending() : 0;
    if (!number)
        return false;
    rt_note_signal(rt_control.last, number);
    rt_signal_came(rt_control.last, number);
    return true;
}

static bool is_pending(const void *number) {
    return pending_now() & bit_of(*(const int *)number);
}

/* That of a timer comes when we say so. */
static void follow_signal(struct rt_runner *me, int number) {
    if (!rt_fire_timer_with(number) && !rt_wait_really(is_pending, &number)) {
        rt_cannot_follow();
        return;
    }
    rt_note_signal(me, number);
    rt_signal_came(me, number);
}

/* Timers may be early, as all time may (virtual_time.c). */
static void notice(struct rt_runner *me) {
    enum { OFTEN = 4 };
    const struct st_control_plan *plan = rt_control.plan;
    int number = rt_control.log->decisions % OFTEN ? 0 : find_pending();
    if (!number && plan->early && rt_time_is_virtual() && rt_any_timer_signal() &&
        rt_random_below(plan->early) == 0) {
        number = rt_any_timer_signal();
        rt_fire_timer_with(number);
    }
    if (!number)
        return;
    rt_note_signal(me, number);
    rt_signal_came(me, number);
}

void rt_take_signals(struct rt_runner *me) {
    int number;
    while ((number = rt_follow_signal(me)) != 0)
        follow_signal(me, number);
    if (rt_control.handled && rt_strategy_is_random())
        notice(me);
}

/* ---- waiting for signals ---- */

/* Has a handler of the thread run since? */
struct awaited_handler {
    struct rt_awaited awaited; /* the first member */
    const struct rt_runner *runner;
    uint64_t before;
};

static bool has_run(const struct rt_awaited *awaited) {
    const struct awaited_handler *handler = (const struct awaited_handler *)awaited;
    return handler->runner->handlers != handler->before;
}

void rt_wait_for_handler(const uint64_t *mask, uintptr_t caller) {
    struct rt_runner *me = rt_runner_self;
    uint64_t before = me->mask;
    struct awaited_handler handler = {
        .awaited = {.is_there = has_run, .at_once = true}, .runner = me, .before = me->handlers};
    if (mask)
        rt_set_signal_mask(*mask);
    while (!has_run(&handler.awaited))
        rt_await(&handler.awaited, RT_FOREVER, caller);
    if (mask)
        rt_set_signal_mask(before);
}

bool rt_swap_signal_mask(uint64_t *mask) {
    struct rt_runner *me = rt_runner_self;
    uint64_t before = me->mask, handlers = me->handlers;
    rt_set_signal_mask(*mask);
    *mask = before;
    return me->handlers != handlers;
}

/* `set` of a thread. */
struct awaited_signals {
    struct rt_awaited awaited; /* the first member */
    uint64_t set;
    const struct rt_runner *runner;
};

static bool is_one_pending(const struct rt_awaited *awaited) {
    const struct awaited_signals *signals = (const struct awaited_signals *)awaited;
    return (pending_now() | signals->runner->sent) & signals->set;
}

static bool was_one_sent(const struct awaited_signals *signals) {
    return (rt_control.sent | signals->runner->sent) & signals->set;
}

enum rt_woken rt_wait_for_signals(uint64_t set, uint64_t deadline, uintptr_t caller) {
    struct awaited_signals signals = {.awaited = {.is_there = is_one_pending, .may_be_ours = true},
                                      .set = set,
                                      .runner = rt_runner_self};
    signals.awaited.at_once = was_one_sent(&signals);
    return rt_await(&signals.awaited, deadline, caller);
}

void rt_signal_taken(int number) {
    rt_control.sent &= ~bit_of(number);
    rt_runner_self->sent &= ~bit_of(number);
}
