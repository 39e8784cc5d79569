/* Points: where others may go first. */
#define _GNU_SOURCE
#include "runtime/control/points.h"
#include "runtime/control/baton.h"
#include "runtime/control/endings.h"
#include "runtime/control/learning.h"
#include "runtime/control/outside/signals.h"
#include "runtime/control/spinning.h"
#include "runtime/control/strategy.h"
#include "runtime/core/access.h"
#include "runtime/core/call_stack.h"

#include <errno.h>

/* ---- for debuggers ---- */

RT_EXPORT __attribute__((noinline)) void __seriatim_on_cut(void);
RT_EXPORT __attribute__((noinline)) void __seriatim_on_cut(void) {
    __asm__ volatile("" ::: "memory");
}

/* ---- events ---- */

static __attribute__((noinline)) void make_counts(struct rt_runner *me) {
    me->counts = rt_map_memory(RT_PLACES * sizeof *me->counts);
}

static inline __attribute__((always_inline)) void count_event(struct rt_runner *me,
                                                              const struct rt_place *place) {
    me->clock++;
    me->blocks = me->wakes = me->arrivals = me->signals = 0;
    rt_control.events++;
    if (__builtin_expect(!me->counts, 0))
        make_counts(me);
    if (me->counts)
        me->counts[place ? place->id : 0]++;
    if (__builtin_expect(me->clock == rt_control.stop_clock, 0) &&
        me->name == rt_control.plan->stop_thread)
        __seriatim_on_cut();
}

void rt_count_event(struct rt_runner *me, const struct rt_place *place) {
    count_event(me, place);
}

/* ---- blocks ---- */

/* The frame that is the block: see `outer` in stream/control.h. -1: none. */
static long find_block(const struct rt_runner *me, const struct rt_thread *t) {
    if (atomic_load_explicit(&rt_has_blocks, memory_order_relaxed))
        for (size_t i = 0; i < t->depth; i++)
            if (t->frames[i].block)
                return (long)i;
    for (size_t i = 1; i < t->depth; i++)
        if (!rt_place_of(t->frames[i].function)->outer)
            return (long)i;
    return t->depth && me->index ? 0 : -1;
}

static uint64_t site_of_block(const struct rt_frame *frame) {
    return rt_place_of(frame->block ? frame->called_from : frame->function)->site;
}

/* Is the frame that was the block at the last point still the one? What is begun later cannot take
 * its place, unless that is an annotation. A function that a thread starts with is another matter.
 */
static inline bool is_in_same_block(const struct rt_runner *me, const struct rt_thread *t) {
    if (!me->block || !me->block_at || me->block_at >= t->depth)
        return false;
    const struct rt_frame *frame = &t->frames[me->block_at];
    return frame->number == me->block &&
           (frame->block || !atomic_load_explicit(&rt_has_blocks, memory_order_relaxed));
}

static void enter_block(struct rt_runner *me) {
    struct rt_thread *t = rt_self;
    if (t && is_in_same_block(me, t)) {
        me->block_points++;
        return;
    }
    long at = t ? find_block(me, t) : -1;
    struct rt_frame *frame = at >= 0 ? &t->frames[at] : NULL;
    if (frame && !frame->number) {
        frame->number = ++me->blocks_begun;
        if (at == 0 && !frame->block)
            me->root_block = frame->number;
    }
    uint32_t block = frame ? frame->number : 0;
    me->block_at = at > 0 ? (size_t)at : 0;
    if (block != me->block) {
        me->block = block;
        me->block_points = 0;
        me->block_site = frame ? site_of_block(frame) : 0;
    }
    me->block_points += block != 0;
}

/* ---- the log ---- */

/* Who else can go on, as the log has it. */
static uint16_t contesting(const struct rt_runner *me) {
    struct rt_control *c = &rt_control;
    enum { LAST = 15 };
    if (!c->contested_known) {
        c->contested = 0;
        for (uint32_t i = 0; i < c->ready_count && !(c->contested >> LAST); i++)
            c->contested |=
                (uint16_t)(1u << (c->ready[i]->index < LAST ? c->ready[i]->index : LAST));
        c->contested_known = true;
    }
    if (me->index < LAST)
        return c->contested & (uint16_t) ~(1u << me->index);
    bool alone = !c->ready_count || c->ready[c->ready_count - 1] == me;
    bool second = c->ready_count > 1 && c->ready[c->ready_count - 2]->index >= LAST;
    return alone && !second ? c->contested & (uint16_t) ~(1u << LAST) : c->contested;
}

static void log_point(const struct rt_runner *me, uint16_t contested) {
    struct st_control_log *log = rt_control.log;
    if (me->index < ST_CONTROL_THREADS) {
        log->threads[me->index].clock = me->clock;
        log->threads[me->index].points = me->points;
    }
    if (log->point_count >= ST_CONTROL_POINTS || me->index >= ST_CONTROL_THREADS)
        return;
    log->log[log->point_count] = (struct st_control_point){
        .site = me->place ? me->place->site : 0,
        .object = me->object,
        .clock = me->clock,
        .thread = me->index,
        .block = me->block,
        .block_site = me->block_site,
        .size = (uint32_t)me->size,
        .kind = (uint16_t)me->kind,
        .contested = contested,
    };
    log->point_count++;
}

static uint16_t count_point(struct rt_runner *me) {
    struct st_control_log *log = rt_control.log;
    uint16_t contested = contesting(me);
    me->points++;
    log->points++;
    log->events = rt_control.events;
    if (contested) {
        log->contested++;
        log->contested_in_blocks += me->block && me->block_points > 1;
    }
    rt_check_length();
    return contested;
}

/* ---- points ---- */

/* Is there nothing to decide: the thread goes on in any case? */
static bool goes_on(const struct rt_runner *me) {
    return rt_control.plan->strategy == ST_STRATEGY_DEFAULT && !me->yielding &&
           me->deviation_clock > me->clock;
}

static __attribute__((noinline)) void decide(struct rt_runner *me, bool contested) {
    rt_lock_baton();
    if (me->yielding) {
        me->ticket = ++rt_control.tickets;
        rt_strategy_yields(me);
    }
    rt_strategy_at_point(me, contested);
    rt_decide(me, RT_AT_POINT);
}

static void take_turn(struct rt_runner *me, bool spins) {
    enter_block(me);
    uint16_t contested = count_point(me);
    me->yielding = spins || me->last;
    if (!goes_on(me)) {
        if (!rt_decide_plainly(me, contested != 0))
            decide(me, contested != 0);
        rt_pass_point(me);
    }
    log_point(me, contested);
}

/* Not where a handler of a signal has interrupted the runtime, which may hold locks of its own. */
static bool may_wait(const struct rt_runner *me) {
    return me && !me->busy && !(rt_self && rt_self->inside);
}

static bool is_alone(void) {
    return atomic_load_explicit(&rt_control.alive, memory_order_relaxed) <= 1;
}

static bool is_atomic(enum st_control_kind kind) {
    return kind == ST_POINT_ATOMIC_READ || kind == ST_POINT_ATOMIC_WRITE;
}

void rt_point_slow(enum st_control_kind kind, const volatile void *object, size_t size,
                   uintptr_t caller) {
    struct rt_runner *me = rt_runner_self;
    if (!may_wait(me))
        return;
    int error = errno;
    me->busy = true;
    if (me->loose)
        rt_come_back(me);
    struct rt_place *place = rt_place_of(caller);
    me->kind = kind;
    me->object = (uintptr_t)object;
    me->size = size;
    me->place = place;
    count_event(me, place);
    if (rt_control.learning && is_atomic(kind) && !is_alone())
        rt_learn(me, me->object, size, kind == ST_POINT_ATOMIC_WRITE, place);
    bool spins = rt_spins(me, kind, (uintptr_t)object, caller);
    if (!is_alone() || spins || me->deviation_clock <= me->clock)
        take_turn(me, spins);
    me->busy = false;
    rt_handle_due(me);
    errno = error;
}

/* ---- accesses ---- */

static __attribute__((noinline)) void point_at_access(struct rt_runner *me, uintptr_t address,
                                                      size_t size, bool write, bool spins,
                                                      struct rt_place *place) {
    int error = errno;
    me->busy = true;
    me->kind = write ? ST_POINT_WRITE : ST_POINT_READ;
    me->object = address;
    me->size = size;
    me->place = place;
    take_turn(me, spins);
    me->busy = false;
    rt_handle_due(me);
    errno = error;
}

static __attribute__((noinline)) void come_back_first(struct rt_runner *me) {
    int error = errno;
    me->busy = true;
    rt_come_back(me);
    me->busy = false;
    errno = error;
}

/* What comes before an access. */
static void pass_access(struct rt_runner *me, uintptr_t address, size_t size, bool write,
                        uintptr_t caller) {
    if (!may_wait(me))
        return;
    if (__builtin_expect(me->loose, 0))
        come_back_first(me);
    struct rt_place *place = rt_place_of(caller);
    if (__builtin_expect(place->of_teams, 0))
        return;
    count_event(me, place);
    bool spins = rt_access_spins(me, write, address, caller);
    bool alone = is_alone();
    me->calm_until = rt_calm_until(me);
    if (alone && !spins)
        return;
    if (rt_control.learning && !alone && rt_may_teach(me, address, size, place))
        rt_learn(me, address, size, write, place);
    if (place->point || spins || me->deviation_clock <= me->clock)
        point_at_access(me, address, size, write, spins, place);
}

void rt_range_in_turn(uintptr_t address, size_t size, bool write, uintptr_t caller) {
    pass_access(rt_runner_self, address, size, write, caller);
}

static void emit_access(uintptr_t address, uint32_t bytes, bool write, uintptr_t caller) {
    struct rt_thread *t = rt_self;
    const struct rt_shadow *shadow = rt_shadow_of(address);
    uint64_t w = atomic_load_explicit(&shadow->write, memory_order_acquire);
    uint64_t r = atomic_load_explicit(&shadow->read, memory_order_acquire);
    uintptr_t granule = address & ~(uintptr_t)7;
    if (rt_is_repeated(t, rt_since_of(t), granule, w, r, bytes, write))
        return;
    if (!rt_deferring)
        rt_emit_now(address, bytes, write, caller);
    else if (write)
        rt_defer_write(address, bytes, caller, w, r);
    else
        rt_defer_read(address, bytes, caller, w, r);
}

static __attribute__((noinline)) void access_slowly(uintptr_t address, uint32_t bytes, bool write,
                                                    uintptr_t caller) {
    pass_access(rt_runner_self, address, rt_size_of(address, bytes), write, caller);
    emit_access(address, bytes, write, caller);
}

/* Does pass_access do nothing but count: it is no point, the thread does not spin, and there is
 * nothing to learn? Then that is done. A function without calls, since most accesses of some
 * programs come here: a multiplication of matrices took a third longer without it. */
static inline __attribute__((always_inline)) bool
pass_calmly(struct rt_runner *me, uintptr_t address, bool write, uintptr_t caller) {
    if (!may_wait(me) || me->clock + 1 >= me->calm_until)
        return false;
    const struct rt_place *place = rt_place_cache[rt_place_index(caller)];
    if (!place || place->caller != caller || place->point || place->of_teams)
        return false;
    if (write ? me->spin.quiet >= RT_QUIET || rt_control.yields : me->spin.quiet + 1 >= RT_QUIET)
        return false;
    if (rt_control.learning && !is_alone() &&
        (me->counts[place->id] < RT_OFTEN || rt_is_in_sample(address)))
        return false;
    me->spin.quiet = write ? 0 : me->spin.quiet + 1;
    me->clock++;
    me->blocks = me->wakes = me->arrivals = me->signals = 0;
    rt_control.events++;
    me->counts[place->id]++;
    return true;
}

void rt_access_in_turn(uintptr_t address, uint32_t bytes, bool write, uintptr_t caller) {
    if (pass_calmly(rt_runner_self, address, write, caller))
        emit_access(address, bytes, write, caller);
    else
        access_slowly(address, bytes, write, caller);
}
