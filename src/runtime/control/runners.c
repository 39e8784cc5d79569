/* Threads begin and end; the list of those who can go on, and of those with a deadline. */
#define _GNU_SOURCE
#include "runtime/control/runners.h"
#include "runtime/control/baton.h"
#include "runtime/control/deviations.h"
#include "runtime/control/endings.h"
#include "runtime/control/learning.h"
#include "runtime/control/outside/outside.h"
#include "runtime/control/outside/signals.h"
#include "runtime/control/outside/watchdog.h"
#include "runtime/control/points.h"
#include "runtime/control/strategy.h"
#include "runtime/control/waiting.h"
#include "runtime/core/system_call.h"
#include "runtime/core/thread_slot.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>

_Thread_local struct rt_runner *rt_runner_self;
struct rt_control rt_control;

bool rt_takes_turns_slow(void) {
    return rt_runner_self && !rt_runner_self->busy && !(rt_self && rt_self->inside);
}

/* ---- lists ---- */

/* A list with room for one more. Returns false if there is no memory for that. */
static bool grow_list(struct rt_runner ***list, uint32_t *capacity, uint32_t count) {
    if (count + 2 <= *capacity)
        return true;
    uint32_t larger = *capacity ? 2 * *capacity : 256;
    struct rt_runner **fresh = rt_map_memory(larger * sizeof *fresh);
    if (!fresh)
        return false;
    for (uint32_t i = 0; i < count && i < *capacity; i++)
        fresh[i] = (*list)[i];
    if (*list)
        rt_system_call(SYS_munmap, (long)*list, (long)(*capacity * sizeof **list), 0, 0, 0, 0);
    *list = fresh;
    *capacity = larger;
    return true;
}

/* The first place in the list of those who can go on whose index is not smaller. */
static uint32_t place_in_ready(uint32_t index) {
    uint32_t low = 0, high = rt_control.ready_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (rt_control.ready[middle]->index < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void insert_ready(struct rt_runner *runner) {
    struct rt_control *c = &rt_control;
    if (!grow_list(&c->ready, &c->ready_capacity, c->ready_count))
        rt_end_run(ST_END_TOO_LONG);
    uint32_t at = place_in_ready(runner->index);
    for (uint32_t i = c->ready_count++; i > at; i--)
        c->ready[i] = c->ready[i - 1];
    c->ready[at] = runner;
    c->contested_known = false;
}

void rt_make_ready(struct rt_runner *runner) {
    if (runner->state == ST_THREAD_READY)
        return;
    if (runner->state == ST_THREAD_BLOCKED || runner->state == ST_THREAD_WAITING)
        rt_unlink_blocked(runner);
    if (runner->state == ST_THREAD_OUTSIDE)
        rt_unlink_outside(runner);
    rt_drop_deadline(runner);
    runner->state = ST_THREAD_READY;
    insert_ready(runner);
}

void rt_make_unready(struct rt_runner *runner, enum st_control_thread_state state) {
    struct rt_control *c = &rt_control;
    if (runner->state == ST_THREAD_READY) {
        uint32_t at = place_in_ready(runner->index);
        c->ready_count--;
        for (; at < c->ready_count; at++)
            c->ready[at] = c->ready[at + 1];
        c->contested_known = false;
    }
    runner->state = state;
    runner->ticket = ++c->tickets;
    if (state == ST_THREAD_OUTSIDE)
        c->outside++;
}

void rt_add_deadline(struct rt_runner *runner, uint64_t deadline) {
    struct rt_control *c = &rt_control;
    runner->deadline = deadline;
    if (deadline == RT_FOREVER || !grow_list(&c->timed, &c->timed_capacity, c->timed_count + 1))
        return;
    runner->timed_at = ++c->timed_count;
    c->timed[runner->timed_at] = runner;
}

void rt_drop_deadline(struct rt_runner *runner) {
    struct rt_control *c = &rt_control;
    if (!runner->timed_at)
        return;
    struct rt_runner *moved = c->timed[c->timed_count--];
    c->timed[runner->timed_at] = moved;
    moved->timed_at = runner->timed_at;
    runner->timed_at = 0;
}

/* ---- names, and the log ---- */

/* By name, open addressing, at most half full. */
static struct rt_runner **named;
static uint32_t named_capacity;

static void put_name(struct rt_runner *runner) {
    uint32_t slot = (uint32_t)(runner->name >> 20) & (named_capacity - 1);
    while (named[slot])
        slot = (slot + 1) & (named_capacity - 1);
    named[slot] = runner;
}

static void enter_name(struct rt_runner *runner) {
    if (2 * rt_control.count >= named_capacity) {
        uint32_t before = named_capacity;
        struct rt_runner **old = named;
        named_capacity = before ? 2 * before : 1024;
        named = rt_map_memory(named_capacity * sizeof *named);
        if (!named)
            rt_end_run(ST_END_TOO_LONG);
        for (uint32_t i = 0; i < before; i++)
            if (old[i])
                put_name(old[i]);
    }
    put_name(runner);
}

struct rt_runner *rt_runner_named(uint64_t name) {
    if (!named)
        return NULL;
    uint32_t slot = (uint32_t)(name >> 20) & (named_capacity - 1);
    while (named[slot] && named[slot]->name != name)
        slot = (slot + 1) & (named_capacity - 1);
    return named[slot];
}

struct rt_runner *rt_runner_with_tid(int tid) {
    struct rt_runner *runner = tid ? rt_control.live : NULL;
    while (runner && runner->tid != tid)
        runner = runner->next_live;
    return runner;
}

void rt_log_runner(const struct rt_runner *runner) {
    if (runner->index >= ST_CONTROL_THREADS)
        return;
    const struct rt_runner *owner = rt_runner_with_tid(runner->owner);
    rt_control.log->threads[runner->index] = (struct st_control_thread){
        .name = runner->name,
        .parent = runner->parent,
        .clock = runner->clock,
        .points = runner->points,
        .child = runner->child,
        .state = (uint16_t)runner->state,
        .kind = (uint16_t)runner->kind,
        .site = runner->place ? runner->place->site : 0,
        .object = runner->object,
        .blocked_on = runner->blocked_on,
        .owner = owner ? owner->name : 0,
    };
}

/* ---- beginning ---- */

enum { RUNNERS_AT_A_TIME = 64 };

static struct rt_runner *fresh_runner(void) {
    static struct rt_runner *block;
    static uint32_t left;
    if (!left) {
        block = rt_map_memory(RUNNERS_AT_A_TIME * sizeof *block);
        left = block ? RUNNERS_AT_A_TIME : 0;
    }
    return left ? &block[--left] : NULL;
}

static uint64_t expected_of(uint64_t name) {
    const struct st_control_plan *plan = rt_control.plan;
    for (uint32_t i = 0; i < plan->expected_count && i < ST_CONTROL_EXPECTED; i++)
        if (plan->expected[i].thread == name)
            return plan->expected[i].points;
    return 0;
}

static struct rt_runner *add_runner(uint64_t name, uint64_t parent, uint32_t child) {
    struct rt_control *c = &rt_control;
    struct rt_runner *runner = fresh_runner();
    if (!runner)
        return NULL;
    *runner = (struct rt_runner){.index = c->count++,
                                 .name = name,
                                 .parent = parent,
                                 .child = child,
                                 .state = ST_THREAD_ENDED,
                                 .kind = ST_POINT_BEGIN,
                                 .deadline = RT_FOREVER,
                                 .mask = UINT64_MAX, /* it will set its own */
                                 .expected = expected_of(name)};
    runner->next_live = c->live;
    runner->place_live = &c->live;
    if (c->live)
        c->live->place_live = &runner->next_live;
    c->live = runner;
    enter_name(runner);
    rt_number_begins(runner);
    rt_take_deviations(runner);
    rt_strategy_begin(runner);
    rt_make_ready(runner);
    atomic_fetch_add(&c->alive, 1);
    c->log->thread_count = c->count < ST_CONTROL_THREADS ? c->count : ST_CONTROL_THREADS;
    rt_log_runner(runner);
    return runner;
}

void rt_first_runner(void) {
    struct rt_runner *first = add_runner(ST_CONTROL_MAIN, 0, 0);
    if (!first)
        return;
    first->thread = (uintptr_t)pthread_self();
    first->tid = (int)rt_system_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
    atomic_store(&first->go, 1);
    atomic_store(&first->running, true);
    atomic_store(&rt_control.current, first);
    rt_runner_self = first;
    rt_control.last = first;
    rt_first_mask(first);
}

/* What the program does at exit may be what the other threads do not survive: so our handler has to
 * come before those that it had registered when its second thread began. */
static void at_exit(void) {
    rt_point_of_exit(RT_CALLER);
}

/* The only thread there is has forked another one. Whatever comes happens after that, in each
 * thread: what was done before can be part of no cycle that the fork would not be part of. */
static void forget_past(void) {
    struct rt_thread *t = rt_self;
    if (atomic_load(&rt_control.alive) == 1 && t && !t->ignored_sync)
        rt_forget_past(t);
}

struct rt_runner *rt_runner_new(void) {
    struct rt_runner *me = rt_runner_self;
    if (!rt_takes_turns())
        return NULL;
    static bool registered;
    if (!registered) {
        registered = true;
        atexit(at_exit);
    }
    me->busy = true;
    forget_past();
    rt_lock_baton();
    uint32_t child = me->children++;
    struct rt_runner *runner = add_runner(st_control_child(me->name, child), me->name, child);
    rt_unlock_baton();
    me->busy = false;
    return runner;
}

void rt_runner_is(struct rt_runner *runner, uintptr_t thread) {
    if (runner)
        runner->thread = thread;
}

void rt_runner_begin(struct rt_runner *runner) {
    if (!runner)
        return;
    runner->thread = (uintptr_t)pthread_self();
    runner->tid = (int)rt_system_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
    runner->busy = true;
    rt_runner_self = runner;
    rt_watchdog_offer(runner);
    rt_park(runner);
    runner->busy = false;
}

/* ---- ending ---- */

/* With the lock. */
static void remove_runner(struct rt_runner *runner) {
    rt_make_unready(runner, ST_THREAD_ENDED);
    *runner->place_live = runner->next_live;
    if (runner->next_live)
        runner->next_live->place_live = runner->place_live;
    rt_number_ends(runner);
    if (runner->counts)
        rt_system_call(SYS_munmap, (long)runner->counts, RT_PLACES * sizeof *runner->counts, 0, 0,
                       0, 0);
    runner->counts = NULL;
    atomic_fetch_sub(&rt_control.alive, 1);
    rt_control.vain = rt_control.yields = 0;
    rt_log_runner(runner);
}

void rt_runner_failed(struct rt_runner *runner) {
    if (!runner)
        return;
    rt_lock_baton();
    remove_runner(runner);
    rt_unlock_baton();
}

void rt_runner_end(void) {
    struct rt_runner *me = rt_runner_self;
    if (!rt_controlled || !me)
        return;
    me->busy = true;
    if (me->loose)
        rt_come_back(me);
    uint64_t none = UINT64_MAX; /* no handler runs after it has given the baton away */
    rt_system_call(SYS_rt_sigprocmask, 0, (long)&none, 0, sizeof none, 0, 0);
    rt_count_event(me, NULL);
    me->kind = ST_POINT_END;
    rt_unblock_slow(me);
    rt_lock_baton();
    remove_runner(me);
    rt_runner_self = NULL;
    rt_decide(me, RT_AT_END);
}

enum rt_woken rt_runner_join(const struct rt_runner *runner, uint64_t deadline, uintptr_t caller) {
    if (!runner)
        return RT_WOKEN;
    rt_point_slow(ST_POINT_JOIN, runner, 1, caller);
    pthread_testcancel();
    while (runner->state != ST_THREAD_ENDED) {
        enum rt_woken woken = rt_block_until(runner, runner->tid, deadline);
        pthread_testcancel();
        if (woken == RT_TIMED_OUT)
            return woken;
    }
    rt_runner_self->patient = true; /* until its next decision */
    return RT_WOKEN;
}

bool rt_is_running(int tid) {
    rt_lock_baton();
    bool running = rt_runner_with_tid(tid);
    rt_unlock_baton();
    return running;
}

bool rt_runner_has_ended(const struct rt_runner *runner) {
    if (runner->state != ST_THREAD_ENDED)
        return false;
    rt_runner_self->patient = true;
    return true;
}

/* By default, and most often otherwise, the others come to rest first: what they would have done is
 * lost otherwise. */
void rt_point_of_exit(uintptr_t caller) {
    struct rt_runner *me = rt_runner_self;
    if (!rt_takes_turns() || me->last)
        return;
    me->last = true;
    me->exits_first = !rt_exits_last();
    rt_point_slow(ST_POINT_EXIT, NULL, 0, caller);
    rt_log_all();
}
