/* The baton: who has it runs, and all others are parked.
 *
 * So that the watcher has one order of all records, that of the run, who gives the baton away takes
 * a sequence number before, and who gets it observes that. Handlers of signals run only where their
 * thread has the baton: all signals are blocked while it is parked. */
#define _GNU_SOURCE
#include "runtime/control/baton.h"
#include "runtime/control/deviations.h"
#include "runtime/control/endings.h"
#include "runtime/control/outside/outside.h"
#include "runtime/control/outside/signals.h"
#include "runtime/control/outside/virtual_time.h"
#include "runtime/control/outside/watchdog.h"
#include "runtime/control/runners.h"
#include "runtime/control/strategy.h"
#include "runtime/core/stream_writer.h"
#include "runtime/core/system_call.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>

void rt_lock_baton(void) {
    rt_spin_lock(&rt_control.lock);
}

void rt_unlock_baton(void) {
    rt_spin_unlock(&rt_control.lock);
}

/* ---- order ---- */

/* The epoch stays the same: what others do meanwhile shows in the shadow of what they touch, and
 * what they do not touch need not be emitted again. Whoever gets the baton observes the last
 * sequence number, so that an epoch may have several. */
static void emit_before(void) {
    struct rt_thread *t = rt_self;
    if (!t || !rt_enter())
        return;
    uint64_t current = t->current, alike = t->alike, since = t->since;
    rt_take_sequence(t);
    rt_emit(t, st_stream_what(ST_STREAM_NONE, 0, 0), 0);
    t->current = current;
    t->alike = alike;
    t->since = since;
    rt_publish(t);
    rt_leave();
}

static void emit_after(void) {
    struct rt_thread *t = rt_self;
    if (!t || !rt_enter())
        return;
    rt_observe(t, atomic_load(&rt_head->next_sequence) - 1);
    rt_publish(t);
    rt_leave();
}

/* ---- giving and parking ---- */

/* With the lock. */
static void give(struct rt_runner *next) {
    atomic_store(&rt_control.current, next);
    rt_control.idle = 0;
    next->yielding = false;
    next->since = next->clock;
    next->calm_until = 0;
    atomic_store(&next->go, 1);
}

static void put_down(struct rt_runner *me) {
    atomic_store(&me->running, false);
    atomic_store(&me->go, 0);
}

static void wake(struct rt_runner *next) {
    rt_system_call(SYS_futex, (long)&next->go, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

/* It does not spin first: whoever has the baton keeps it for far longer than that, as a rule. */
void rt_park(struct rt_runner *me) {
    while (!atomic_load(&me->go)) {
        if (rt_is_on_watch(me))
            rt_watchdog(me);
        else
            rt_system_call(SYS_futex, (long)&me->go, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
    }
    atomic_store(&me->running, true);
    rt_watchdog_resign(me);
}

void rt_dispatch(void) {
    if (atomic_load(&rt_control.current) || !rt_control.ready_count)
        return;
    struct rt_runner *next = rt_default_choice(NULL);
    give(next);
    wake(next);
}

/* ---- deciding ---- */

static uint32_t ordinal_of(struct rt_runner *me, enum rt_decision decision) {
    return decision == RT_AT_BLOCK ? me->blocks++ : 0;
}

static void note_choice(struct rt_runner *me, struct rt_runner *next, struct rt_runner *usual,
                        enum rt_decision decision, uint32_t ordinal) {
    struct st_control_log *log = rt_control.log;
    log->decisions++;
    log->switches += next != me;
    log->preemptions += next != me && decision == RT_AT_POINT && me->state == ST_THREAD_READY;
    if (next != usual)
        rt_note_deviation(me, next,
                          decision == RT_AT_POINT ? ST_DEVIATION_PREEMPT : ST_DEVIATION_BLOCKED,
                          ordinal);
}

/* May a strategy stop a thread that could go on? A program with millions of points would do nothing
 * but change threads otherwise, and no schedule would have room for it. What is seldom enough is
 * never refused, so that short programs do not know this rule. */
static bool may_preempt(void) {
    enum { AT_FIRST = 2048, POINTS_EACH = 256 };
    struct rt_control *c = &rt_control;
    if (c->preempted >= AT_FIRST + c->log->points / POINTS_EACH)
        return false;
    c->preempted++;
    return true;
}

/* With the lock; somebody can go on. */
static struct rt_runner *choose(struct rt_runner *me, enum rt_decision decision, uint32_t ordinal) {
    struct rt_runner *usual = rt_default_choice(decision == RT_AT_END ? NULL : me);
    struct rt_runner *next = rt_follow(
        me, decision == RT_AT_POINT ? ST_DEVIATION_PREEMPT : ST_DEVIATION_BLOCKED, ordinal);
    bool exits = me->kind == ST_POINT_EXIT && decision == RT_AT_POINT;
    if (!next && exits && me->exits_first)
        next = me;
    if (!next) {
        next = rt_strategy_choose(decision == RT_AT_END ? NULL : me, decision == RT_AT_POINT);
        bool preempts = next && next != me && usual == me && decision == RT_AT_POINT;
        if (!next || (preempts && !may_preempt()))
            next = usual;
    }
    if (exits) /* the same when this is done again */
        me->last = next != me || next == usual;
    note_choice(me, next, usual, decision, ordinal);
    return next;
}

/* All spin, and it may be for somebody who is outside. With the lock. */
static void nap_if_in_vain(void) {
    enum { OFTEN = 64 };
    static const struct timespec nap = {.tv_nsec = 100 * 1000};
    bool outside = rt_is_somebody_outside() || rt_has_client();
    if (rt_control.yields < OFTEN || !(outside || rt_control.foreign))
        return;
    rt_ask_client();
    rt_unlock_baton();
    rt_system_call(SYS_nanosleep, (long)&nap, 0, 0, 0, 0, 0);
    rt_lock_baton();
    if (outside) /* otherwise each look lets time pass, as in other runs of the schedule */
        rt_time_passed((uint64_t)nap.tv_nsec);
}

/* With the lock. false: something has to come first, and who comes will find the baton free. */
static bool find_ready(struct rt_runner *me) {
    struct rt_control *c = &rt_control;
    for (;;) {
        if (c->ready_count && !rt_all_yield())
            return true;
        if (rt_look_for_signals() || rt_look_outside() || rt_pass_time())
            continue;
        if (c->ready_count) {
            nap_if_in_vain();
            return true;
        }
        if (rt_is_anything_to_come()) {
            if (atomic_load(&c->current) == me)
                atomic_store(&c->current, NULL);
            return false;
        }
        rt_nobody_can();
    }
}

static void hand_over(struct rt_runner *me, struct rt_runner *next, bool ends) {
    if (!ends)
        rt_block_all_signals();
    emit_before();
    put_down(me);
    if (next)
        give(next);
    if (!ends)
        rt_watchdog_take(me, next);
    rt_unlock_baton();
    if (next)
        wake(next);
    if (ends)
        return;
    rt_park(me);
    emit_after();
    rt_restore_signals(me);
}

/* With the lock: what comes from outside, or with time, before anybody goes on. */
static void let_things_happen(struct rt_runner *me, uint32_t time) {
    rt_control.last = me;
    rt_control.last_time = time;
    rt_beat();
    rt_take_arrivals(me);
    rt_take_signals(me);
    rt_pass_time_early(me, time);
}

/* At most points the thread could go on, the plan says nothing, and nothing can come from outside
 * or with time: only the strategy has a say. */
static bool is_plain_point(const struct rt_runner *me) {
    const struct rt_control *c = &rt_control;
    return me->state == ST_THREAD_READY && !me->yielding && me->deviation_clock > me->clock &&
           me->kind != ST_POINT_EXIT && !c->foreign && !c->handled && !c->timed_count;
}

/* Does nobody wait outside, or go on without the baton? Then all others are parked, and who has the
 * baton needs no lock to look at them. */
static bool are_all_parked(void) {
    return !rt_control.outside && !rt_control.log->loose;
}

void rt_pass_point(struct rt_runner *me) {
    if (!rt_strategy_minds(me))
        return;
    bool parked = are_all_parked();
    if (!parked)
        rt_lock_baton();
    rt_strategy_passes(me);
    if (!parked)
        rt_unlock_baton();
}

/* If the baton was taken from it meanwhile, somebody else has decided. */
bool rt_decide_plainly(struct rt_runner *me, bool contested) {
    struct rt_control *c = &rt_control;
    if (!is_plain_point(me) || !are_all_parked())
        return false;
    c->last = me;
    c->last_time = 0;
    me->patient = false;
    rt_beat();
    rt_strategy_at_point(me, contested);
    struct rt_runner *next = rt_strategy_choose(me, true);
    if (!next || next == me || !may_preempt()) {
        c->log->decisions++;
    } else {
        rt_lock_baton();
        if (atomic_load(&c->current) == me) {
            note_choice(me, next, me, RT_AT_POINT, 0);
            hand_over(me, next, false);
        } else {
            rt_unlock_baton();
        }
    }
    return true;
}

void rt_decide(struct rt_runner *me, enum rt_decision decision) {
    uint32_t ordinal = ordinal_of(me, decision);
    me->patient = false;
    let_things_happen(me, 2 * ordinal + (decision == RT_AT_BLOCK));
    if (!find_ready(me)) {
        hand_over(me, NULL, decision == RT_AT_END);
        return;
    }
    struct rt_runner *next = choose(me, decision, ordinal);
    if (next == me && decision != RT_AT_END) {
        me->yielding = false;
        rt_unlock_baton();
        return;
    }
    hand_over(me, next, decision == RT_AT_END);
}

void rt_leave_baton(struct rt_runner *me) {
    struct rt_runner *next = NULL;
    uint32_t ordinal = ordinal_of(me, RT_AT_BLOCK);
    rt_make_unready(me, ST_THREAD_OUTSIDE);
    let_things_happen(me, 2 * ordinal + 1);
    emit_before();
    if (find_ready(me))
        next = choose(me, RT_AT_BLOCK, ordinal);
    put_down(me);
    if (next)
        give(next);
    rt_unlock_baton();
    if (next)
        wake(next);
    else
        rt_watchdog_wanted();
}

static void park_again(struct rt_runner *me) {
    rt_block_all_signals();
    rt_unlock_baton();
    rt_watchdog_offer(me);
    rt_park(me);
    emit_after();
    rt_restore_signals(me);
}

void rt_return(struct rt_runner *me) {
    if (!atomic_load(&rt_control.current) && rt_look_outside())
        rt_dispatch();
    park_again(me);
}

void rt_come_back(struct rt_runner *me) {
    rt_lock_baton();
    me->loose = false;
    rt_make_ready(me);
    if (!atomic_load(&rt_control.current)) {
        give(me);
        atomic_store(&me->running, true);
        rt_unlock_baton();
        emit_after();
        return;
    }
    put_down(me);
    park_again(me);
}
