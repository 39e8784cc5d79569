/* What the three searches have in common: what they are given, what they give back, and when they
 * must stop. */
#ifndef SERIATIM_PREDICT_TAS_SEARCH_H
#define SERIATIM_PREDICT_TAS_SEARCH_H

#include "predict/tas/window.h"

struct tas_budget {
    double deadline; /* in seconds of tas_now; 0: none */
    uint64_t steps;  /* of the search so far: interleavings, states or orders */
    uint64_t ticks;  /* units of work, to look at the clock only now and then */
    bool expired;
};

/* Seconds that the calling thread has worked: a busy machine must not turn into timeouts. */
double tas_now(void);

/* Counts work of about this many nanoseconds or more. False when time is up. */
bool tas_spend(struct tas_budget *budget, uint64_t work);

/* A schedule that violates the block: what the window froze (`limit` and `from` as there), and then
 * these events, up to the end of the path. Accesses and lock events only; what else must be
 * executed is added by tas_schedule_complete. */
struct tas_schedule {
    uint32_t limit, *from;
    uint32_t *events;
    size_t count, capacity;
};

/* Empties it, and notes what the window froze. */
void tas_schedule_start(struct tas_schedule *schedule, const struct st_tas_graph *graph,
                        const struct tas_window *window);
void tas_schedule_free(struct tas_schedule *schedule);

void tas_schedule_add(struct tas_schedule *schedule, uint32_t event);

/* Puts in all other events that must be executed. */
void tas_schedule_complete(struct tas_schedule *schedule, const struct st_tas_graph *graph);

/* For one worker. */
struct tas_worker {
    const struct st_tas_graph *graph;
    const struct st_tas_setup *setup;
    struct tas_segment segment;
    struct tas_window window;
    struct tas_decider *decider; /* for chains */
    struct tas_budget budget;
    struct tas_schedule schedule; /* filled when the search found a violation */
};

/* True when the block is violated. When it is not, the budget tells whether that is certain. The
 * segment and the window of the worker are set. */
bool tas_search_states(struct tas_worker *worker);
bool tas_search_dpor(struct tas_worker *worker);

/* The same; the window of the worker is not set, and used otherwise. */
bool tas_search_chains(struct tas_worker *worker);

#endif
