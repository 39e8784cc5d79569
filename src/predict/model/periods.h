/* Thread periods (TSE 2006, section 4). Fork, join and barriers divide a thread's execution into
 * periods. A period happens before another if it must end before the other starts, in every
 * schedule.
 *
 * Threads that run one after another in every schedule form a chain: a thread continues the chain
 * of a joined thread if its forker knows of that join. So a program that starts a thread for every
 * job has only as many chains as threads that can exist at the same time. The periods of a chain
 * are ordered.
 *
 * The clock of a period says, for each other chain, how many of its periods happen before this one.
 * Equal clocks are shared: the forker's does not change, and all threads that leave a barrier
 * together have the same one (a period's own chain does not look at its clock). */
#ifndef SERIATIM_PREDICT_MODEL_PERIODS_H
#define SERIATIM_PREDICT_MODEL_PERIODS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct st_period {
    uint32_t thread;
    uint32_t chain;
    uint32_t index; /* among the periods of its chain, from 0 */
    uint32_t clock; /* index in st_periods.clocks */
};

struct st_period_chain {
    uint32_t thread; /* its last one */
    uint32_t count;  /* of its periods */
    bool ended;      /* it is in st_periods.ended */
};

struct st_period_clock {
    uint32_t *before; /* by chain, for the first `chains`; 0 beyond that */
    uint32_t chains;
};

struct st_periods {
    struct st_period *items;
    size_t count, capacity;
    struct st_period_clock *clocks; /* the first is empty */
    size_t clock_count, clock_capacity;
    uint32_t *current; /* by thread: its period plus 1, or 0 before its first event */
    size_t current_capacity;
    struct st_period_chain *chains;
    size_t chain_count, chain_capacity;
    uint32_t *ended; /* chains whose last thread was joined */
    size_t ended_count, ended_capacity;
};

void st_periods_init(struct st_periods *periods);
void st_periods_free(struct st_periods *periods);

/* The current period of the thread. Starts its first one if necessary. */
uint32_t st_periods_now(struct st_periods *periods, uint32_t thread);

void st_periods_fork(struct st_periods *periods, uint32_t parent, uint32_t child);
void st_periods_join(struct st_periods *periods, uint32_t parent, uint32_t child);

/* Ends the thread's period, and starts the next one, which is ordered with no other thread. */
void st_periods_split(struct st_periods *periods, uint32_t thread);

/* What has been sent to later receivers: a clock that only grows. Starts as all zero. */
struct st_message {
    struct st_period_clock clock;
    uint32_t shared; /* plus 1: the stored clock that the last receivers got; or 0 */
};
void st_message_free(struct st_message *message);

/* Ends the thread's period, adds it to the message, and starts the next period. */
void st_periods_send(struct st_periods *periods, uint32_t thread, struct st_message *message);

/* Starts a new period of the thread, after everything in the message, unless that comes before it
 * anyway. (Threads that pass a one-time initialisation again and again have one period, not
 * thousands: since none of them ends with a send, nobody could tell them apart.) */
void st_periods_receive(struct st_periods *periods, uint32_t thread, struct st_message *message);

/* Must period a end before period b starts? */
static inline bool st_period_before(const struct st_periods *periods, uint32_t a, uint32_t b) {
    const struct st_period *from = &periods->items[a], *to = &periods->items[b];
    if (from->chain == to->chain)
        return from->index < to->index;
    const struct st_period_clock *clock = &periods->clocks[to->clock];
    return from->chain < clock->chains && clock->before[from->chain] > from->index;
}

/* Can the periods run at the same time? Never true for two periods of one chain. */
static inline bool st_periods_concurrent(const struct st_periods *periods, uint32_t a, uint32_t b) {
    return periods->items[a].chain != periods->items[b].chain && !st_period_before(periods, a, b) &&
           !st_period_before(periods, b, a);
}

#endif
