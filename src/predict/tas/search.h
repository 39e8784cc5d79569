/* What the three searches share: their input, their result, and when they must stop. */
#ifndef SERIATIM_PREDICT_TAS_SEARCH_H
#define SERIATIM_PREDICT_TAS_SEARCH_H

#include "predict/tas/look_ahead.h"
#include "predict/tas/window.h"
#include "predict/total_time.h"

struct tas_budget {
    double deadline;                   /* in seconds of tas_now, or 0 for none */
    const struct st_total_time *total; /* of all searches; NULL: without end */
    uint64_t steps;                    /* of the search so far: interleavings, states or orders */
    uint64_t ticks; /* units of work, so that the clock is checked only now and then */
    bool expired;
};

/* CPU seconds of the calling thread, so that a busy machine does not cause timeouts. */
double tas_now(void);

/* Counts work of at least about this many nanoseconds. False when time is up. */
bool tas_spend(struct tas_budget *budget, uint64_t work);

/* A schedule that violates the block: what the window froze (`limit` and `from` as there), followed
 * by these events, up to the end of the path. It has only accesses and lock events;
 * tas_schedule_complete adds the other events that must be executed. */
struct tas_schedule {
    uint32_t limit, *from;
    uint32_t *events;
    size_t count, capacity;
};

/* Empties the schedule and records what the window froze. */
void tas_schedule_start(struct tas_schedule *schedule, const struct st_tas_graph *graph,
                        const struct tas_window *window);
void tas_schedule_free(struct tas_schedule *schedule);

void tas_schedule_add(struct tas_schedule *schedule, uint32_t event);

/* Inserts all other events that must be executed. */
void tas_schedule_complete(struct tas_schedule *schedule, const struct st_tas_graph *graph);

/* The state of one worker. */
struct tas_worker {
    const struct st_tas_graph *graph;
    const struct st_tas_setup *setup;
    struct tas_segment segment;
    struct tas_window window;
    struct tas_decider *decider; /* for chains, and so are these */
    struct tas_runs_between between;
    struct tas_ahead ahead;
    struct tas_budget budget;
    struct tas_schedule schedule; /* filled when the search finds a violation */
};

/* True if the block is violated. If false, the budget says whether that is certain. The worker's
 * segment and window must be set. */
bool tas_search_states(struct tas_worker *worker);
bool tas_search_dpor(struct tas_worker *worker);

/* The same, but the worker's window need not be set: the search uses it for itself. */
bool tas_search_chains(struct tas_worker *worker);

#endif
