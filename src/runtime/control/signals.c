/* Signals and cancellation. A parked thread has all signals blocked: one that it should handle
 * wakes it, and it handles the signal where it gets the baton. */
#define _GNU_SOURCE
#include "runtime/control/runner.h"
#include "runtime/core/system_call.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

static bool is_blocked_by(const struct rt_runner *runner, int number) {
    return runner->mask >> (number - 1) & 1;
}

static bool is_ignored(int number) {
    struct {
        void (*handler)(int);
        unsigned long flags;
        void (*restorer)(void);
        uint64_t mask;
    } now = {0};
    rt_system_call(SYS_rt_sigaction, number, 0, (long)&now, sizeof now.mask, 0, 0);
    bool by_default = now.handler == SIG_DFL && (number == SIGCHLD || number == SIGURG ||
                                                 number == SIGWINCH || number == SIGCONT);
    return now.handler == SIG_IGN || by_default;
}

/* With the lock. It goes on where it waits; who can go on already does so anyway. */
static void interrupt(struct rt_runner *runner, bool by_signal) {
    bool parked = runner->state != ST_THREAD_OUTSIDE || runner->descriptors;
    if (runner->state == ST_THREAD_READY || runner->state == ST_THREAD_ENDED || !parked)
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
        if (at->tid && !is_blocked_by(at, number) && (!first || at->index < first->index))
            first = at;
    return first;
}

void rt_signal_sent(uintptr_t thread, int number) {
    struct rt_runner *me = rt_runner_self;
    if (!rt_takes_turns() || number < 1 || number > 64 || is_ignored(number))
        return;
    me->busy = true;
    rt_lock_baton();
    struct rt_runner *runner = thread ? runner_of(thread) : handler_of(number);
    if (runner && runner != me && !is_blocked_by(runner, number))
        interrupt(runner, true);
    rt_unlock_baton();
    me->busy = false;
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

void rt_look_for_signals(void) {
    uint64_t pending = 0;
    rt_system_call(SYS_rt_sigpending, (long)&pending, sizeof pending, 0, 0, 0, 0);
    for (int number = 1; number <= 64 && pending >> (number - 1); number++) {
        if (!(pending >> (number - 1) & 1) || is_ignored(number))
            continue;
        struct rt_runner *runner = handler_of(number);
        if (runner)
            interrupt(runner, true);
    }
}
