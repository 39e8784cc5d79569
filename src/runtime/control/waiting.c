/* Waiting for objects: locks that are taken, semaphores at zero, barriers, threads that run, and
 * queues, in which somebody is woken in particular. */
#define _GNU_SOURCE
#include "runtime/control/waiting.h"
#include "runtime/control/baton.h"
#include "runtime/control/deviations.h"
#include "runtime/control/outside/signals.h"
#include "runtime/control/points.h"
#include "runtime/control/runners.h"
#include "runtime/control/strategy.h"

#include <errno.h>

/* Those who wait, by object. */
enum { BUCKETS = 1 << 12 };
static struct rt_runner *buckets[BUCKETS];

static struct rt_runner **bucket_of(uintptr_t object) {
    return &buckets[(object * UINT64_C(0x9e3779b97f4a7c15)) >> 52];
}

void rt_unlink_blocked(struct rt_runner *runner) {
    struct rt_runner **at = bucket_of(runner->blocked_on);
    while (*at && *at != runner)
        at = &(*at)->next_blocked;
    if (*at)
        *at = runner->next_blocked;
    runner->queued = false;
}

/* With the lock. */
static void link_blocked(struct rt_runner *me, enum st_control_thread_state state,
                         const volatile void *object, uint64_t deadline) {
    rt_make_unready(me, state);
    me->blocked_on = (uintptr_t)object;
    me->woken = me->timed_out = me->interrupted = false;
    struct rt_runner **bucket = bucket_of(me->blocked_on);
    me->next_blocked = *bucket;
    *bucket = me;
    rt_add_deadline(me, deadline);
}

static enum rt_woken how(const struct rt_runner *me) {
    return me->woken         ? RT_WOKEN
           : me->timed_out   ? RT_TIMED_OUT
           : me->interrupted ? RT_INTERRUPTED
                             : RT_WOKEN;
}

/* The thread is in its bucket. Lets go of the lock. */
static enum rt_woken wait_there(struct rt_runner *me) {
    int error = errno;
    me->clock_reads = 0;
    rt_decide(me, RT_AT_BLOCK);
    me->blocked_on = 0;
    me->owner = 0;
    me->busy = false;
    enum rt_woken woken = how(me);
    rt_handle_due(me);
    errno = error;
    return woken;
}

enum rt_woken rt_block_until(const volatile void *object, int owner, uint64_t deadline) {
    struct rt_runner *me = rt_runner_self;
    me->busy = true;
    rt_lock_baton();
    link_blocked(me, ST_THREAD_BLOCKED, object, deadline);
    me->owner = owner;
    return wait_there(me);
}

/* With the lock. Those in a queue stay. */
static void unblock(uintptr_t object) {
    struct rt_runner *next, *at = *bucket_of(object);
    for (; at; at = next) {
        next = at->next_blocked;
        if (at->blocked_on == object && !at->queued) {
            at->woken = true;
            rt_make_ready(at);
        }
    }
}

void rt_unblock_slow(const volatile void *object) {
    struct rt_runner *me = rt_runner_self;
    bool was = me && me->busy;
    if (me)
        me->busy = true;
    rt_lock_baton();
    rt_control.vain = rt_control.yields = 0;
    unblock((uintptr_t)object);
    rt_dispatch();
    rt_unlock_baton();
    if (me)
        me->busy = was;
}

/* With the lock: whoever is blocked tries again. Somebody may have released what they wait for
 * unseen. */
void rt_retry_all(void) {
    for (struct rt_runner *runner = rt_control.live; runner; runner = runner->next_live)
        if (runner->state == ST_THREAD_BLOCKED && !runner->queued) {
            runner->woken = true;
            rt_make_ready(runner);
        }
}

/* Who gives up after some time only tries (ST_POINT_TRY_LOCK): it must not wait here. */
static bool wants(const struct rt_runner *runner, uintptr_t lock, bool shared) {
    return runner->object == lock &&
           (runner->kind == ST_POINT_LOCK || (runner->kind == ST_POINT_READ_LOCK && !shared));
}

void rt_taken(const volatile void *lock, bool shared) {
    struct rt_runner *me = rt_runner_self;
    struct rt_control *c = &rt_control;
    rt_changed_slow();
    if (c->ready_count < 2)
        return;
    me->busy = true;
    rt_lock_baton();
    for (uint32_t i = c->ready_count; i-- > 0;) {
        struct rt_runner *runner = c->ready[i];
        if (runner == me || !wants(runner, (uintptr_t)lock, shared))
            continue;
        runner->owner = me->tid;
        link_blocked(runner, ST_THREAD_BLOCKED, lock, RT_FOREVER);
    }
    rt_unlock_baton();
    me->busy = false;
}

/* ---- queues ---- */

void rt_queue(const volatile void *object, uint64_t deadline) {
    struct rt_runner *me = rt_runner_self;
    me->busy = true;
    rt_lock_baton();
    link_blocked(me, ST_THREAD_WAITING, object, deadline);
    me->queued = true;
    rt_unlock_baton();
    me->busy = false;
}

enum rt_woken rt_queue_wait(void) {
    struct rt_runner *me = rt_runner_self;
    me->busy = true;
    rt_lock_baton();
    return wait_there(me);
}

static bool is_queued(const struct rt_runner *runner, uintptr_t object) {
    return runner->queued && runner->blocked_on == object;
}

/* Of those in the queue, by default who waits longest. */
static struct rt_runner *choose_woken(struct rt_runner *me, uintptr_t object) {
    struct rt_runner *oldest = NULL, *any = NULL;
    uint64_t count = 0;
    for (struct rt_runner *at = *bucket_of(object); at; at = at->next_blocked) {
        if (!is_queued(at, object))
            continue;
        if (!oldest || at->ticket < oldest->ticket)
            oldest = at;
        if (rt_strategy_is_random() && rt_random_below(++count) == 0)
            any = at;
    }
    if (!oldest || !me)
        return oldest;
    uint32_t ordinal = me->wakes++;
    struct rt_runner *planned = rt_follow(me, ST_DEVIATION_WAKE, ordinal);
    struct rt_runner *chosen = planned ? planned : any ? any : oldest;
    if (!is_queued(chosen, object))
        chosen = oldest;
    if (chosen != oldest)
        rt_note_deviation(me, chosen, ST_DEVIATION_WAKE, ordinal);
    return chosen;
}

unsigned rt_queue_wake(const volatile void *object, unsigned most) {
    struct rt_runner *me = rt_takes_turns() ? rt_runner_self : NULL;
    unsigned count = 0;
    if (me)
        me->busy = true;
    rt_lock_baton();
    for (; count < most; count++) {
        struct rt_runner *woken = choose_woken(me, (uintptr_t)object);
        if (!woken)
            break;
        woken->woken = true;
        rt_make_ready(woken);
    }
    if (count)
        rt_control.vain = rt_control.yields = 0;
    rt_dispatch();
    rt_unlock_baton();
    if (me)
        me->busy = false;
    return count;
}
