#include "runtime/control/strategy.h"
#include "runtime/control/steps.h"

/* Priorities that are drawn are above LOW; who yields or is changed goes below all others. */
#define LOW (UINT64_C(1) << 32)
enum { CHANGES = 32 };

static struct {
    uint64_t random;
    uint64_t changes[CHANGES]; /* contested points, or those in blocks: from 1 on */
    uint32_t change_count;
    uint64_t lowest;
} strategy;

/* ---- chance ---- */

static uint64_t random64(void) {
    uint64_t x = strategy.random;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    strategy.random = x;
    return x * UINT64_C(2685821657736338717);
}

uint64_t rt_random_below(uint64_t bound) {
    __extension__ typedef unsigned __int128 product;
    return bound ? (uint64_t)(((product)random64() * bound) >> 64) : 0;
}

bool rt_strategy_is_random(void) {
    return rt_control.plan->strategy != ST_STRATEGY_DEFAULT;
}

bool rt_exits_last(void) {
    enum { OF = 8 };
    return !rt_strategy_is_random() || rt_random_below(OF) != 0;
}

static bool has_priorities(void) {
    uint32_t kind = rt_control.plan->strategy;
    return kind == ST_STRATEGY_PCT || kind == ST_STRATEGY_BLOCK_PCT || kind == ST_STRATEGY_POS ||
           kind == ST_STRATEGY_DIRECTED || kind == ST_STRATEGY_STALL || kind == ST_STRATEGY_STEPS;
}

static uint64_t draw_priority(void) {
    return LOW + 1 + rt_random_below(LOW);
}

void rt_strategy_start(void) {
    const struct st_control_plan *plan = rt_control.plan;
    strategy.random = (plan->seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < 8; i++)
        random64();
    strategy.lowest = LOW;
    rt_steps_start();
    uint64_t points = plan->strategy == ST_STRATEGY_BLOCK_PCT ? plan->expected_block_points
                                                              : plan->expected_points;
    strategy.change_count = plan->depth > CHANGES ? CHANGES : plan->depth ? plan->depth - 1 : 0;
    for (uint32_t i = 0; i < strategy.change_count; i++)
        strategy.changes[i] = 1 + rt_random_below(points ? points : 1);
}

/* Where it comes in the order of the plan, from 0 on; the length of the order if it does not. */
static uint32_t rank_of(const struct rt_runner *runner) {
    const struct st_control_hold *hold = &rt_control.plan->hold;
    uint32_t rank = 0;
    while (rank < hold->order_count && rank < ST_CONTROL_ORDER && hold->order[rank] != runner->name)
        rank++;
    return rank;
}

static bool is_in_order(const struct rt_runner *runner) {
    return rank_of(runner) < rt_control.plan->hold.order_count;
}

/* Those of an order come first, but behind those who are let go. */
void rt_strategy_begin(struct rt_runner *runner) {
    runner->priority = draw_priority();
    if (is_in_order(runner))
        runner->priority = UINT64_MAX - 2 - rank_of(runner);
}

/* ---- the default schedule ---- */

/* Others first, but not for ever: those who sleep again and again would always be before it. */
static bool still_yields(const struct rt_runner *runner) {
    enum { LEAST = 16 };
    uint64_t most = LEAST + 2 * (uint64_t)atomic_load(&rt_control.alive);
    return runner->yielding && (runner->last || rt_control.tickets - runner->ticket < most);
}

/* Of those who can go on: the first that has not yielded, or who did so longest ago. */
static struct rt_runner *first_ready(void) {
    struct rt_control *c = &rt_control;
    struct rt_runner *patient = NULL;
    for (uint32_t i = 0; i < c->ready_count; i++) {
        struct rt_runner *runner = c->ready[i];
        if (!still_yields(runner))
            return runner;
        if (!patient || runner->ticket < patient->ticket)
            patient = runner;
    }
    return patient;
}

struct rt_runner *rt_default_choice(struct rt_runner *me) {
    return me && me->state == ST_THREAD_READY && !me->yielding ? me : first_ready();
}

bool rt_all_yield(void) {
    struct rt_control *c = &rt_control;
    for (uint32_t i = 0; i < c->ready_count; i++)
        if (!still_yields(c->ready[i]))
            return false;
    return true;
}

/* ---- walks ---- */

static uint64_t weight_of(const struct rt_runner *runner) {
    if (rt_control.plan->strategy != ST_STRATEGY_URW)
        return 1;
    return runner->expected > runner->points + 1 ? runner->expected - runner->points : 1;
}

/* One of those who can go on, but not of those who have yielded, if there are others. */
static struct rt_runner *walk(void) {
    struct rt_control *c = &rt_control;
    bool all = rt_all_yield();
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->ready_count; i++)
        if (all || !still_yields(c->ready[i]))
            sum += weight_of(c->ready[i]);
    uint64_t at = rt_random_below(sum);
    for (uint32_t i = 0; i < c->ready_count; i++) {
        if (!all && still_yields(c->ready[i]))
            continue;
        uint64_t weight = weight_of(c->ready[i]);
        if (at < weight)
            return c->ready[i];
        at -= weight;
    }
    return NULL;
}

/* ---- priorities ---- */

static struct rt_runner *highest(bool held) {
    struct rt_control *c = &rt_control;
    struct rt_runner *best = NULL;
    for (uint32_t i = 0; i < c->ready_count; i++)
        if ((held || !c->ready[i]->held) && (!best || c->ready[i]->priority > best->priority))
            best = c->ready[i];
    return best;
}

static void lower(struct rt_runner *runner) {
    runner->priority = --strategy.lowest;
}

void rt_strategy_yields(struct rt_runner *me) {
    if (has_priorities())
        lower(me);
}

static void change_priority(struct rt_runner *me, uint64_t number) {
    for (uint32_t i = 0; i < strategy.change_count; i++)
        if (strategy.changes[i] == number)
            lower(me);
}

static bool reads_only(const struct rt_runner *runner) {
    return runner->kind == ST_POINT_READ || runner->kind == ST_POINT_ATOMIC_READ ||
           runner->kind == ST_POINT_READ_LOCK;
}

static bool conflict(const struct rt_runner *a, const struct rt_runner *b) {
    return a->object && b->object && a->object < b->object + (b->size ? b->size : 1) &&
           b->object < a->object + (a->size ? a->size : 1) && !(reads_only(a) && reads_only(b));
}

/* POS: who was about to do something that conflicts gets another chance. */
static void draw_conflicting(const struct rt_runner *me) {
    struct rt_control *c = &rt_control;
    for (uint32_t i = 0; i < c->ready_count; i++)
        if (c->ready[i] != me && conflict(me, c->ready[i]))
            c->ready[i]->priority = draw_priority();
}

/* ---- holding a block open ---- */

static bool holds(void) {
    uint32_t kind = rt_control.plan->strategy;
    return kind == ST_STRATEGY_DIRECTED || kind == ST_STRATEGY_STALL;
}

static bool is_in_held_block(const struct rt_runner *me) {
    return me->held_block && (me->held_block == me->block || me->held_block == me->root_block);
}

static bool is_anybody_held_after(const struct rt_runner *me) {
    struct rt_control *c = &rt_control;
    for (uint32_t i = 0; i < c->ready_count; i++)
        if (c->ready[i] != me && c->ready[i]->held && c->ready[i]->held_after)
            return true;
    return false;
}

/* What those who were held at `other` have waited for is there. */
static void let_others_go(const struct rt_runner *me) {
    struct rt_control *c = &rt_control;
    for (uint32_t i = 0; i < c->ready_count; i++)
        if (c->ready[i] != me && c->ready[i]->held && !c->ready[i]->held_after) {
            c->ready[i]->held = false;
            c->ready[i]->priority = UINT64_MAX - 1;
        }
}

static void hold(struct rt_runner *me) {
    if (!is_in_held_block(me)) {
        me->held_block = 0;
        me->let_go = false;
    }
    me->held_after = me->held_block && !me->let_go;
    me->held = me->held_after || (rt_control.plan->strategy == ST_STRATEGY_DIRECTED && me->place &&
                                  me->place->other && !is_anybody_held_after(me));
    me->held_since = rt_control.log->points;
    if (me->held_after)
        let_others_go(me);
}

/* What the others do meanwhile can be in vain without a sign of it: in a library, threads may wake
 * each other up again and again to look for work. */
static bool is_held_too_long(const struct rt_runner *runner) {
    enum { LEAST = 2000, TIMES = 2 };
    uint64_t usual = TIMES * rt_control.plan->expected_points;
    return runner->held &&
           rt_control.log->points - runner->held_since > (usual > LEAST ? usual : LEAST);
}

static bool is_anybody_held_too_long(void) {
    struct rt_control *c = &rt_control;
    for (uint32_t i = 0; i < c->ready_count; i++)
        if (is_held_too_long(c->ready[i]))
            return true;
    return false;
}

bool rt_strategy_holds_all(void) {
    struct rt_control *c = &rt_control;
    for (uint32_t i = 0; i < c->ready_count; i++)
        if (!c->ready[i]->held)
            return false;
    return c->ready_count != 0;
}

/* Of two who are held: who is let go? */
static bool is_better_let_go(const struct rt_runner *runner, const struct rt_runner *than) {
    if (rt_control.plan->strategy == ST_STRATEGY_STEPS &&
        rt_steps_loss(runner) != rt_steps_loss(than))
        return rt_steps_loss(runner) < rt_steps_loss(than);
    return runner->priority > than->priority;
}

static struct rt_runner *highest_not_held(void) {
    struct rt_control *c = &rt_control;
    struct rt_runner *next = highest(false);
    bool in_vain = next && next->yielding && c->yields > 2 * (uint64_t)c->ready_count + 8;
    if (next && !in_vain && !is_anybody_held_too_long())
        return next;
    /* The others wait, or spin: for somebody who is held, it may be. */
    struct rt_runner *held = NULL;
    for (uint32_t i = 0; i < c->ready_count; i++)
        if (c->ready[i]->held && (!held || is_better_let_go(c->ready[i], held)))
            held = c->ready[i];
    bool also_in_vain = held && next && held->yielding && next->ticket < held->ticket;
    if (!held || also_in_vain)
        return next;
    c->log->given_up++;
    held->let_go |= rt_control.plan->strategy == ST_STRATEGY_STALL || is_held_too_long(held);
    held->held = false;
    if (rt_control.plan->strategy == ST_STRATEGY_STEPS)
        rt_steps_let_go(held);
    return held;
}

/* Who had to wait for a lock in the meantime was not there when a step was done. */
static struct rt_runner *highest_for_steps(void) {
    struct rt_control *c = &rt_control;
    for (uint32_t i = 0; i < c->ready_count; i++) {
        struct rt_runner *runner = c->ready[i];
        bool held = rt_steps_hold(runner);
        if (held && !runner->held)
            runner->held_since = c->log->points;
        runner->held = held;
        if (!runner->yielding && rt_steps_is_next(runner))
            runner->priority = UINT64_MAX - 1;
    }
    return highest_not_held();
}

/* Another thread has come between: the block goes on right behind it. */
static void pass_last(const struct rt_runner *me) {
    struct rt_control *c = &rt_control;
    bool hit = false;
    for (uint32_t i = 0; i < c->ready_count; i++) {
        struct rt_runner *runner = c->ready[i];
        if (runner == me || !runner->held || !runner->held_after)
            continue;
        runner->held = false;
        runner->let_go = true;
        runner->priority = UINT64_MAX;
        hit = true;
    }
    c->log->hits += hit;
}

/* Not each time: the first block that comes by may be the wrong one. What a thread starts with may
 * be a loop, of which every turn counts. */
static void pass_first(struct rt_runner *me) {
    enum { OF = 4 };
    bool again = me->let_go && me->block == me->root_block;
    if (!me->block || (me->held_block && !again) || rt_random_below(OF) == 0)
        return;
    if (rt_control.plan->hold.order_count && rank_of(me) != 0)
        return;
    me->held_block = me->block;
    me->let_go = false;
}

/* ---- points ---- */

void rt_strategy_at_point(struct rt_runner *me, bool contested) {
    const struct st_control_log *log = rt_control.log;
    switch (rt_control.plan->strategy) {
    case ST_STRATEGY_PCT:
        if (contested)
            change_priority(me, log->contested);
        break;
    case ST_STRATEGY_BLOCK_PCT:
        if (contested && me->block && me->block_points > 1)
            change_priority(me, log->contested_in_blocks);
        break;
    case ST_STRATEGY_POS:
        if (!me->yielding) /* who waits for others must not come before them for ever */
            me->priority = draw_priority();
        break;
    case ST_STRATEGY_DIRECTED:
    case ST_STRATEGY_STALL:
        hold(me);
        break;
    default:
        break;
    }
}

bool rt_strategy_minds(const struct rt_runner *me) {
    if (rt_control.plan->strategy == ST_STRATEGY_POS)
        return rt_control.ready_count > 1;
    if (rt_control.plan->strategy == ST_STRATEGY_STEPS)
        return true;
    return holds() && (me->held || (me->place && (me->place->first || me->place->last)));
}

void rt_strategy_passes(struct rt_runner *me) {
    if (rt_control.plan->strategy == ST_STRATEGY_STEPS)
        rt_steps_pass(me);
    if (rt_control.plan->strategy == ST_STRATEGY_POS)
        draw_conflicting(me);
    if (!holds())
        return;
    me->held = false;
    if (!me->place)
        return;
    if (me->place->last && rt_control.plan->strategy == ST_STRATEGY_DIRECTED)
        pass_last(me);
    if (me->place->first)
        pass_first(me);
}

struct rt_runner *rt_strategy_choose(struct rt_runner *me, bool at_point) {
    (void)me, (void)at_point;
    switch (rt_control.plan->strategy) {
    case ST_STRATEGY_RANDOM:
    case ST_STRATEGY_URW:
        return walk();
    case ST_STRATEGY_PCT:
    case ST_STRATEGY_BLOCK_PCT:
    case ST_STRATEGY_POS:
        return highest(true);
    case ST_STRATEGY_DIRECTED:
    case ST_STRATEGY_STALL:
        return highest_not_held();
    case ST_STRATEGY_STEPS:
        return highest_for_steps();
    default:
        return NULL;
    }
}
