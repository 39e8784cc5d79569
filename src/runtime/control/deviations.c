/* Deviations from the default schedule: those of the plan are followed, and all are logged. */
#include "runtime/control/deviations.h"
#include "runtime/control/endings.h"
#include "runtime/core/call_stack.h"

/* ---- the plan ---- */

enum { NONE = UINT32_MAX };

/* For each deviation of the plan the next one of the same thread; by thread, the first one. */
static uint32_t *next_of;
static struct {
    uint64_t thread;
    uint32_t first, last;
} * threads;
enum { THREADS = 1 << 15 };
static uint32_t planned;

/* What comes from outside: how often it is still to come. */
enum { SIGNALS = 65 };
static uint32_t signals_to_come[SIGNALS];
static bool any_arrivals;

static uint32_t slot_of(uint64_t thread) {
    uint32_t slot = (uint32_t)st_control_mix(0, thread) % THREADS;
    while (threads[slot].thread && threads[slot].thread != thread)
        slot = (slot + 1) % THREADS;
    return slot;
}

/* They come in the order of the run, so those of one thread in that of its clock.
 *
 * The tables are there in every run, and as large: otherwise the memory that the program maps, and
 * the stacks of its threads, would be elsewhere in a replay. The address of a stack is the id of
 * its thread, and programs may depend on that: std::barrier does. */
void rt_read_deviations(void) {
    const struct st_control_plan *plan = rt_control.plan;
    planned = plan->deviation_count < ST_CONTROL_DEVIATIONS ? plan->deviation_count
                                                            : ST_CONTROL_DEVIATIONS;
    next_of = rt_map_memory(ST_CONTROL_DEVIATIONS * sizeof *next_of);
    threads = rt_map_memory(THREADS * sizeof *threads);
    if (!next_of || !threads) {
        planned = 0;
        return;
    }
    uint32_t used = 0;
    for (uint32_t i = 0; i < planned; i++) {
        uint32_t slot = slot_of(plan->deviations[i].thread);
        next_of[i] = NONE;
        if (!threads[slot].thread && ++used > THREADS / 2)
            break;
        if (threads[slot].thread)
            next_of[threads[slot].last] = i;
        else
            threads[slot].first = i;
        threads[slot].thread = plan->deviations[i].thread;
        threads[slot].last = i;
        any_arrivals |= plan->deviations[i].kind == ST_DEVIATION_ARRIVAL;
        if (plan->deviations[i].kind == ST_DEVIATION_SIGNAL && plan->deviations[i].next < SIGNALS)
            signals_to_come[plan->deviations[i].next]++;
    }
}

/* By site and count, any event may be the one. */
static void look_forward_to(struct rt_runner *runner, uint32_t deviation) {
    runner->deviation = deviation;
    runner->deviation_clock = deviation == NONE ? UINT64_MAX
                              : rt_has_flag(ST_CONTROL_BY_SITE)
                                  ? 0
                                  : rt_control.plan->deviations[deviation].clock;
    runner->calm_until = 0;
}

void rt_take_deviations(struct rt_runner *runner) {
    uint32_t slot = planned ? slot_of(runner->name) : 0;
    look_forward_to(runner, planned && threads[slot].thread ? threads[slot].first : NONE);
    for (uint32_t i = 0; i < planned && any_arrivals; i++)
        runner->arrivals_to_come += rt_control.plan->deviations[i].kind == ST_DEVIATION_ARRIVAL &&
                                    rt_control.plan->deviations[i].next == runner->name;
}

static void has_come(const struct st_control_deviation *deviation);

static void diverge(struct rt_runner *me) {
    rt_control.log->diverged_at = me->deviation;
    has_come(&rt_control.plan->deviations[me->deviation]);
    if (!rt_has_flag(ST_CONTROL_DIVERGE))
        rt_end_run(ST_END_DIVERGED);
    look_forward_to(me, next_of[me->deviation]);
}

/* How many events it has had at the place of its pending operation, with this one. */
static uint32_t count_here(const struct rt_runner *me) {
    return me->place && me->counts ? me->counts[me->place->id] : 0;
}

static bool is_at(const struct rt_runner *me, uint64_t site) {
    return me->place && me->place->site == site;
}

/* Is it too late for the next deviation? */
static bool was_missed(const struct rt_runner *me, const struct st_control_deviation *next) {
    if (rt_has_flag(ST_CONTROL_BY_SITE) && next->site)
        return is_at(me, next->site) && count_here(me) > next->count;
    return next->clock < me->clock;
}

static bool is_here(const struct rt_runner *me, const struct st_control_deviation *next) {
    if (!rt_has_flag(ST_CONTROL_BY_SITE) || !next->site)
        return next->clock == me->clock;
    return is_at(me, next->site) && count_here(me) == next->count;
}

static uint32_t followed_last;

/* The next deviation of the plan, if it is this one; or NULL. */
static const struct st_control_deviation *
expected_here(struct rt_runner *me, enum st_control_deviation_kind kind, uint32_t ordinal) {
    while (me->deviation != NONE && was_missed(me, &rt_control.plan->deviations[me->deviation]))
        diverge(me);
    if (me->deviation == NONE)
        return NULL;
    const struct st_control_deviation *next = &rt_control.plan->deviations[me->deviation];
    return is_here(me, next) && next->kind == kind && next->ordinal == ordinal ? next : NULL;
}

struct rt_runner *rt_peek(struct rt_runner *me, enum st_control_deviation_kind kind,
                          uint32_t ordinal) {
    const struct st_control_deviation *next =
        me->deviation == NONE ? NULL : expected_here(me, kind, ordinal);
    return next ? rt_runner_named(next->next) : NULL;
}

/* It comes, or never will. */
static void has_come(const struct st_control_deviation *deviation) {
    struct rt_runner *named =
        deviation->kind == ST_DEVIATION_ARRIVAL ? rt_runner_named(deviation->next) : NULL;
    if (named && named->arrivals_to_come)
        named->arrivals_to_come--;
    if (deviation->kind == ST_DEVIATION_SIGNAL && deviation->next < SIGNALS &&
        signals_to_come[deviation->next])
        signals_to_come[deviation->next]--;
}

bool rt_is_signal_planned(int number) {
    return signals_to_come[number];
}

static void step(struct rt_runner *me) {
    rt_control.log->followed++;
    followed_last = me->deviation;
    has_come(&rt_control.plan->deviations[me->deviation]);
    look_forward_to(me, next_of[me->deviation]);
}

static bool is_possible(const struct rt_runner *me, const struct rt_runner *named,
                        enum st_control_deviation_kind kind) {
    switch (kind) {
    case ST_DEVIATION_PREEMPT:
    case ST_DEVIATION_BLOCKED:
        return named->state == ST_THREAD_READY;
    case ST_DEVIATION_WAKE:
        return named->queued;
    case ST_DEVIATION_ARRIVAL:
        return named == me || named->state == ST_THREAD_OUTSIDE;
    default:
        return named->timed_at != 0;
    }
}

struct rt_runner *rt_follow(struct rt_runner *me, enum st_control_deviation_kind kind,
                            uint32_t ordinal) {
    const struct st_control_deviation *next = expected_here(me, kind, ordinal);
    if (!next)
        return NULL;
    struct rt_runner *named = rt_runner_named(next->next);
    if (!named || !is_possible(me, named, kind)) {
        diverge(me);
        return NULL;
    }
    step(me);
    return named;
}

int rt_follow_signal(struct rt_runner *me) {
    const struct st_control_deviation *next =
        me->deviation == NONE ? NULL : expected_here(me, ST_DEVIATION_SIGNAL, me->signals);
    if (!next)
        return 0;
    step(me);
    return next->next < 65 ? (int)next->next : 0;
}

void rt_cannot_follow(void) {
    rt_control.log->followed--;
    rt_control.log->diverged_at = followed_last;
    if (!rt_has_flag(ST_CONTROL_DIVERGE))
        rt_end_run(ST_END_DIVERGED);
}

/* ---- the log ---- */

static void note_callers(uint64_t callers[ST_CONTROL_CALLERS]) {
    const struct rt_thread *t = rt_self;
    for (size_t i = 0; t && i < ST_CONTROL_CALLERS && i < t->depth; i++)
        callers[i] = t->frames[t->depth - 1 - i].called_from;
}

static void note(const struct rt_runner *me, uint64_t next, enum st_control_deviation_kind kind,
                 uint32_t ordinal) {
    struct st_control_log *log = rt_control.log;
    if (log->deviation_count >= ST_CONTROL_DEVIATIONS) {
        log->lost_deviations++;
        return;
    }
    uint64_t site = me->place ? me->place->site : 0;
    if (kind == ST_DEVIATION_PREEMPT)
        note_callers(log->callers[log->deviation_count]);
    log->deviations[log->deviation_count++] = (struct st_control_deviation){
        .thread = me->name,
        .next = next,
        .clock = me->clock,
        .site = site,
        .count = count_here(me),
        .kind = (uint16_t)kind,
        .ordinal = (uint16_t)ordinal,
    };
}

void rt_note_deviation(struct rt_runner *me, const struct rt_runner *next,
                       enum st_control_deviation_kind kind, uint32_t ordinal) {
    note(me, next->name, kind, ordinal);
}

void rt_note_signal(struct rt_runner *me, int number) {
    note(me, (uint64_t)number, ST_DEVIATION_SIGNAL, me->signals++);
}
