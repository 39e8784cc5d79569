/* Waiting for what is outside of the program: others go on meanwhile.
 *
 * A thread that waits for descriptors is parked, and who finds that nobody can go on looks at them.
 * So what one thread sends to another is seen at once, in the same order in each run. A call that
 * waits for something else is made without the baton. */
#define _GNU_SOURCE
#include "runtime/control/runner.h"
#include "runtime/core/system_call.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>

static struct rt_runner *waiting; /* for descriptors */

bool rt_is_somebody_outside(void) {
    return rt_control.outside;
}

void rt_unlink_outside(struct rt_runner *runner) {
    rt_control.outside--;
    if (!runner->descriptors)
        return;
    struct rt_runner **at = &waiting;
    while (*at && *at != runner)
        at = &(*at)->next_outside;
    if (*at)
        *at = runner->next_outside;
    runner->descriptors = NULL;
}

static long poll_now(struct pollfd *descriptors, size_t count) {
    struct timespec none = {0};
    return rt_system_call(SYS_ppoll, (long)descriptors, (long)count, (long)&none, 0, 8, 0);
}

bool rt_look_outside(void) {
    bool any = false;
    for (struct rt_runner *next, *at = waiting; at; at = next) {
        next = at->next_outside;
        if (poll_now(at->descriptors, at->descriptor_count) == 0)
            continue;
        at->woken = true;
        rt_make_ready(at);
        any = true;
    }
    return any;
}

void rt_sleep_outside(const struct timespec *nap) {
    enum { MOST = 256 };
    struct pollfd all[MOST];
    size_t count = 0;
    rt_lock_baton();
    for (struct rt_runner *at = waiting; at; at = at->next_outside)
        for (size_t i = 0; i < at->descriptor_count && count < MOST; i++)
            all[count++] = at->descriptors[i];
    rt_unlock_baton();
    rt_system_call(SYS_ppoll, (long)all, (long)count, (long)nap, 0, 8, 0);
}

/* ---- descriptors ---- */

static enum rt_woken wait_outside(struct rt_runner *me, struct pollfd *descriptors, size_t count,
                                  uint64_t deadline) {
    int error = errno;
    me->busy = true;
    me->clock_reads = 0;
    me->woken = me->timed_out = me->interrupted = false;
    rt_lock_baton();
    rt_make_unready(me, ST_THREAD_OUTSIDE);
    me->descriptors = descriptors;
    me->descriptor_count = count;
    me->next_outside = waiting;
    waiting = me;
    rt_add_deadline(me, deadline);
    rt_decide(me, RT_AT_BLOCK);
    me->busy = false;
    errno = error;
    return me->woken ? RT_WOKEN : me->timed_out ? RT_TIMED_OUT : RT_INTERRUPTED;
}

enum rt_woken rt_wait_for(struct pollfd *descriptors, size_t count, uint64_t deadline,
                          uintptr_t caller) {
    rt_point_slow(ST_POINT_IO, NULL, 0, caller);
    if (poll_now(descriptors, count) != 0)
        return RT_WOKEN;
    return wait_outside(rt_runner_self, descriptors, count, deadline);
}

static bool never_waits(int descriptor) {
    long flags = rt_system_call(SYS_fcntl, descriptor, F_GETFL, 0, 0, 0, 0);
    return flags < 0 || flags & O_NONBLOCK;
}

void rt_wait_for_one_slow(int descriptor, short events, uintptr_t caller) {
    struct pollfd one = {.fd = descriptor, .events = events};
    if (!rt_takes_turns())
        return;
    rt_point_slow(ST_POINT_IO, NULL, 0, caller);
    if (poll_now(&one, 1) == 0 && !never_waits(descriptor))
        wait_outside(rt_runner_self, &one, 1, RT_FOREVER);
}

void rt_written_slow(void) {
    if (!rt_takes_turns())
        return;
    rt_changed_slow();
    if (!waiting)
        return;
    rt_runner_self->busy = true;
    rt_lock_baton();
    rt_look_outside();
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

void rt_come_inside(void) {
    struct rt_runner *me = rt_runner_self;
    int error = errno;
    me->busy = true;
    rt_come_back(me);
    me->busy = false;
    errno = error;
}
