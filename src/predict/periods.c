#include "predict/periods.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

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
}

size_t st_periods_memory(const struct st_periods *periods) {
    size_t bytes = periods->capacity * sizeof *periods->items +
                   periods->clock_capacity * sizeof *periods->clocks +
                   periods->current_capacity * sizeof *periods->current;
    for (size_t i = 0; i < periods->clock_count; i++)
        bytes += periods->clocks[i].threads * sizeof(uint32_t);
    return bytes;
}

static void raise_clock(struct st_period_clock *clock, uint32_t thread, uint32_t value) {
    if (thread >= clock->threads) {
        clock->before = st_realloc(clock->before, (size_t)thread + 1, sizeof *clock->before);
        memset(clock->before + clock->threads, 0,
               (thread + 1 - clock->threads) * sizeof *clock->before);
        clock->threads = thread + 1;
    }
    if (value > clock->before[thread])
        clock->before[thread] = value;
}

static void merge_clock(struct st_period_clock *clock, const struct st_period_clock *other) {
    if (other->threads)
        raise_clock(clock, other->threads - 1, other->before[other->threads - 1]);
    for (uint32_t i = 0; i < other->threads; i++)
        if (other->before[i] > clock->before[i])
            clock->before[i] = other->before[i];
}

/* Takes over the clock. */
static uint32_t keep_clock(struct st_periods *periods, struct st_period_clock clock) {
    st_reserve(&periods->clocks, &periods->clock_capacity, periods->clock_count + 1);
    periods->clocks[periods->clock_count] = clock;
    return (uint32_t)periods->clock_count++;
}

static uint32_t start(struct st_periods *periods, uint32_t thread, uint32_t index, uint32_t clock) {
    st_reserve(&periods->items, &periods->capacity, periods->count + 1);
    st_reserve(&periods->current, &periods->current_capacity, (size_t)thread + 1);
    periods->items[periods->count] = (struct st_period){thread, index, clock};
    periods->current[thread] = (uint32_t)++periods->count;
    return (uint32_t)periods->count - 1;
}

uint32_t st_periods_now(struct st_periods *periods, uint32_t thread) {
    if (thread < periods->current_capacity && periods->current[thread])
        return periods->current[thread] - 1;
    return start(periods, thread, 0, 0);
}

/* The next period of a thread, with another clock. */
static void go_on(struct st_periods *periods, uint32_t now, uint32_t clock) {
    start(periods, periods->items[now].thread, periods->items[now].index + 1, clock);
}

/* The clock of whatever comes after the period. */
static struct st_period_clock clock_after(const struct st_periods *periods, uint32_t period) {
    const struct st_period *from = &periods->items[period];
    struct st_period_clock clock = {0};
    merge_clock(&clock, &periods->clocks[from->clock]);
    raise_clock(&clock, from->thread, from->index + 1);
    return clock;
}

void st_periods_fork(struct st_periods *periods, uint32_t parent, uint32_t child) {
    uint32_t now = st_periods_now(periods, parent);
    /* A trace after repair may fork a thread that has run already. */
    bool started = child < periods->current_capacity && periods->current[child];
    uint32_t next = started ? periods->items[periods->current[child] - 1].index + 1 : 0;
    struct st_period_clock clock = clock_after(periods, now);
    if (started)
        merge_clock(&clock, &periods->clocks[periods->items[periods->current[child] - 1].clock]);
    start(periods, child, next, keep_clock(periods, clock));
    go_on(periods, now, periods->items[now].clock);
}

void st_periods_join(struct st_periods *periods, uint32_t parent, uint32_t child) {
    uint32_t now = st_periods_now(periods, parent);
    struct st_period_clock clock = clock_after(periods, st_periods_now(periods, child));
    merge_clock(&clock, &periods->clocks[periods->items[now].clock]);
    go_on(periods, now, keep_clock(periods, clock));
}

void st_message_free(struct st_message *message) {
    free(message->clock.before);
    *message = (struct st_message){0};
}

void st_periods_send(struct st_periods *periods, uint32_t thread, struct st_message *message) {
    uint32_t now = st_periods_now(periods, thread);
    merge_clock(&message->clock, &periods->clocks[periods->items[now].clock]);
    raise_clock(&message->clock, thread, periods->items[now].index + 1);
    message->shared = 0;
    go_on(periods, now, periods->items[now].clock);
}

static bool is_below(const struct st_period_clock *clock, const struct st_period_clock *other,
                     uint32_t but) {
    for (uint32_t i = 0; i < clock->threads; i++)
        if (i != but && clock->before[i] > (i < other->threads ? other->before[i] : 0))
            return false;
    return true;
}

void st_periods_receive(struct st_periods *periods, uint32_t thread, struct st_message *message) {
    uint32_t now = st_periods_now(periods, thread);
    const struct st_period_clock *own = &periods->clocks[periods->items[now].clock];
    if (is_below(&message->clock, own, thread)) {
        go_on(periods, now, periods->items[now].clock);
        return;
    }
    bool whole = is_below(own, &message->clock, thread);
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
