#include "predict/model/periods.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define NO_CHAIN UINT32_MAX

void st_periods_init(struct st_periods *periods) {
    *periods = (struct st_periods){0};
    st_reserve(&periods->clocks, &periods->clock_capacity, 1);
    periods->clock_count = 1;
}

void st_periods_free(struct st_periods *periods) {
    for (size_t i = 0; i < periods->clock_count; i++)
        free(periods->clocks[i].before);
    free(periods->clocks);
    free(periods->items);
    free(periods->current);
    free(periods->chains);
    free(periods->ended);
}

static void raise_clock(struct st_period_clock *clock, uint32_t chain, uint32_t value) {
    if (chain >= clock->chains) {
        clock->before = st_realloc(clock->before, (size_t)chain + 1, sizeof *clock->before);
        memset(clock->before + clock->chains, 0,
               (chain + 1 - clock->chains) * sizeof *clock->before);
        clock->chains = chain + 1;
    }
    if (value > clock->before[chain])
        clock->before[chain] = value;
}

static void merge_clock(struct st_period_clock *clock, const struct st_period_clock *other) {
    if (other->chains)
        raise_clock(clock, other->chains - 1, other->before[other->chains - 1]);
    for (uint32_t i = 0; i < other->chains; i++)
        if (other->before[i] > clock->before[i])
            clock->before[i] = other->before[i];
}

/* Takes ownership of the clock. */
static uint32_t keep_clock(struct st_periods *periods, struct st_period_clock clock) {
    st_reserve(&periods->clocks, &periods->clock_capacity, periods->clock_count + 1);
    periods->clocks[periods->clock_count] = clock;
    return (uint32_t)periods->clock_count++;
}

/* ---- chains ---- */

static uint32_t new_chain(struct st_periods *periods) {
    st_reserve(&periods->chains, &periods->chain_capacity, periods->chain_count + 1);
    periods->chains[periods->chain_count] = (struct st_period_chain){0};
    return (uint32_t)periods->chain_count++;
}

/* A chain all of whose periods are in this clock, or a new chain. Only a join makes the last period
 * of a thread known. Looking at a few chains pays off, the last ones first: a thread that starts
 * threads usually waits for them, too. */
static uint32_t chain_after(struct st_periods *periods, const struct st_period_clock *clock) {
    enum { LOOKS = 16 };
    for (size_t i = periods->ended_count; i > 0 && i + LOOKS > periods->ended_count; i--) {
        uint32_t chain = periods->ended[i - 1];
        if (chain >= clock->chains || clock->before[chain] < periods->chains[chain].count)
            continue;
        memmove(&periods->ended[i - 1], &periods->ended[i],
                (periods->ended_count - i) * sizeof *periods->ended);
        periods->ended_count--;
        periods->chains[chain].ended = false;
        return chain;
    }
    return new_chain(periods);
}

/* In a repaired trace the thread may have been joined before. */
static void end_chain(struct st_periods *periods, uint32_t thread, uint32_t chain) {
    if (periods->chains[chain].thread != thread || periods->chains[chain].ended)
        return;
    periods->chains[chain].ended = true;
    st_reserve(&periods->ended, &periods->ended_capacity, periods->ended_count + 1);
    periods->ended[periods->ended_count++] = chain;
}

/* ---- periods ---- */

static void start(struct st_periods *periods, uint32_t thread, uint32_t chain, uint32_t clock) {
    struct st_period_chain *last = &periods->chains[chain];
    st_reserve(&periods->items, &periods->capacity, periods->count + 1);
    st_reserve(&periods->current, &periods->current_capacity, (size_t)thread + 1);
    periods->items[periods->count] = (struct st_period){thread, chain, last->count, clock};
    periods->current[thread] = (uint32_t)++periods->count;
    last->thread = thread;
    last->count++;
}

/* The clock of whatever comes after the period. */
static struct st_period_clock clock_after(const struct st_periods *periods, uint32_t period) {
    const struct st_period *from = &periods->items[period];
    struct st_period_clock clock = {0};
    merge_clock(&clock, &periods->clocks[from->clock]);
    raise_clock(&clock, from->chain, from->index + 1);
    return clock;
}

/* The thread goes on after all. */
static __attribute__((noinline)) void reopen_chain(struct st_periods *periods, uint32_t chain) {
    size_t kept = 0;
    for (size_t i = 0; i < periods->ended_count; i++)
        if (periods->ended[i] != chain)
            periods->ended[kept++] = periods->ended[i];
    periods->ended_count = kept;
    periods->chains[chain].ended = false;
}

/* Starts the next period of a thread, with another clock. In a repaired trace, a thread may
 * continue after it was joined and another thread took over its chain. It then needs a new chain,
 * and a clock that includes its own past. */
static void go_on(struct st_periods *periods, uint32_t now, uint32_t clock) {
    const struct st_period from = periods->items[now];
    uint32_t chain = from.chain;
    if (periods->chains[chain].thread != from.thread) {
        struct st_period_clock own = clock_after(periods, now);
        merge_clock(&own, &periods->clocks[clock]);
        chain = new_chain(periods);
        clock = keep_clock(periods, own);
    } else if (periods->chains[chain].ended) {
        reopen_chain(periods, chain);
    }
    start(periods, from.thread, chain, clock);
}

/* In a repaired trace, a thread may have an event after it was joined. Who joined it did not wait
 * for that, so it is another period. */
uint32_t st_periods_now(struct st_periods *periods, uint32_t thread) {
    if (thread >= periods->current_capacity || !periods->current[thread]) {
        start(periods, thread, new_chain(periods), 0);
    } else {
        const struct st_period_chain *chain =
            &periods->chains[periods->items[periods->current[thread] - 1].chain];
        uint32_t now = periods->current[thread] - 1;
        if (__builtin_expect(chain->ended || chain->thread != thread, 0))
            go_on(periods, now, periods->items[now].clock);
    }
    return periods->current[thread] - 1;
}

void st_periods_fork(struct st_periods *periods, uint32_t parent, uint32_t child) {
    uint32_t now = st_periods_now(periods, parent);
    struct st_period_clock clock = clock_after(periods, now);
    /* A repaired trace may fork a thread that has already run. */
    if (child < periods->current_capacity && periods->current[child]) {
        uint32_t before = periods->current[child] - 1;
        merge_clock(&clock, &periods->clocks[periods->items[before].clock]);
        go_on(periods, before, keep_clock(periods, clock));
    } else {
        uint32_t chain = chain_after(periods, &clock);
        start(periods, child, chain, keep_clock(periods, clock));
    }
    now = st_periods_now(periods, parent);
    go_on(periods, now, periods->items[now].clock);
}

void st_periods_join(struct st_periods *periods, uint32_t parent, uint32_t child) {
    uint32_t now = st_periods_now(periods, parent), last = st_periods_now(periods, child);
    struct st_period_clock clock = clock_after(periods, last);
    merge_clock(&clock, &periods->clocks[periods->items[now].clock]);
    end_chain(periods, child, periods->items[last].chain);
    go_on(periods, now, keep_clock(periods, clock));
}

void st_periods_split(struct st_periods *periods, uint32_t thread) {
    uint32_t now = st_periods_now(periods, thread);
    go_on(periods, now, periods->items[now].clock);
}

void st_message_free(struct st_message *message) {
    free(message->clock.before);
    *message = (struct st_message){0};
}

void st_periods_send(struct st_periods *periods, uint32_t thread, struct st_message *message) {
    uint32_t now = st_periods_now(periods, thread);
    merge_clock(&message->clock, &periods->clocks[periods->items[now].clock]);
    raise_clock(&message->clock, periods->items[now].chain, periods->items[now].index + 1);
    message->shared = 0;
    go_on(periods, now, periods->items[now].clock);
}

static bool is_below(const struct st_period_clock *clock, const struct st_period_clock *other,
                     uint32_t but) {
    for (uint32_t i = 0; i < clock->chains; i++)
        if (i != but && clock->before[i] > (i < other->chains ? other->before[i] : 0))
            return false;
    return true;
}

void st_periods_receive(struct st_periods *periods, uint32_t thread, struct st_message *message) {
    uint32_t now = st_periods_now(periods, thread);
    uint32_t chain = periods->items[now].chain;
    const struct st_period_clock *own = &periods->clocks[periods->items[now].clock];
    if (is_below(&message->clock, own, chain))
        return;
    bool whole = is_below(own, &message->clock, NO_CHAIN); /* others will look at all of it */
    if (whole && message->shared) {
        go_on(periods, now, message->shared - 1);
        return;
    }
    struct st_period_clock clock = {0};
    merge_clock(&clock, own);
    merge_clock(&clock, &message->clock);
    uint32_t kept = keep_clock(periods, clock);
    if (whole)
        message->shared = kept + 1;
    go_on(periods, now, kept);
}
