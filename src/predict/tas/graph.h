/* The trace as the searches see it: all events, and what must happen before what.
 *
 * Events are known by their index (number - 1) and by thread and position (1-based, dropped events
 * not counted). "Must happen before" (MHB, the paper's Equation 1) is the transitive closure of
 * thread order, couples, fork, join, channels and waits (predict/tas/tas.h); locks are no part of
 * it.
 *
 * Vectors are shared: an event has a new one only when something new must happen before it, so that
 * there are far fewer vectors than events. */
#ifndef SERIATIM_PREDICT_TAS_GRAPH_H
#define SERIATIM_PREDICT_TAS_GRAPH_H

#include "predict/tas/tas.h"

#define TAS_NONE UINT32_MAX

struct tas_thread {
    uint32_t *events; /* events[p - 1] is the index of the event at position p */
    uint32_t count;
    uint32_t start; /* the vector that holds before the first event */
};

/* An outermost block: the events of `thread` from position `first` (its begin) to `last`. */
struct tas_block {
    uint32_t thread, first, last;
    bool open; /* no end in the trace; `last` is the last event of the thread then */
};

/* The accesses of one thread to one variable of one kind, in their order. */
struct tas_run {
    uint32_t thread, key; /* key: 2 * variable + is it a write */
    uint32_t first;       /* in accesses; ends where the next run starts */
};

enum { TAS_CLOCKS_PER_CHUNK = 1024 };

struct st_tas_graph {
    const struct st_event *events; /* of the caller */
    size_t count;
    bool overflow; /* there were more events than can be numbered */

    /* For each event. Those that were dropped have position 0 and nothing else. */
    uint32_t *position;
    /* A read: index + 1 of its couple, 0 for the initial value. A write: index + 1 of the read that
     * it makes a read-modify-write with, or 0. An acquire: index + 1 of its release, 0 when there
     * is none; a release: index + 1 of its acquire. */
    uint32_t *partner;
    uint32_t *clock;   /* the number of its vector */
    uint32_t *lockset; /* the number of the set of locks held, that of a lock event included */

    struct tas_thread *threads;
    uint32_t thread_count;
    uint32_t **clocks; /* chunks of TAS_CLOCKS_PER_CHUNK vectors of thread_count each */
    size_t clock_count, chunk_count, chunk_capacity;

    /* Set number s: lock_members[lock_sets[s]] up to lock_members[lock_sets[s + 1]], ascending. */
    uint32_t *lock_sets, *lock_members;
    size_t set_count, set_capacity, member_capacity;

    /* The acquires of lock l in their order: acquires[lock_first[l]] up to lock_first[l + 1]. */
    uint32_t *acquires, *lock_first;
    uint32_t lock_count;
    uint32_t variable_count;
    bool *shared; /* by variable: accessed by two threads at least, and written */

    /* Accesses to shared variables by key, thread and position. The runs of key q are
     * runs[key_runs[q]] up to runs[key_runs[q + 1]]; a last run marks the end. Those of thread t
     * are numbered by thread_runs[thread_first[t]] up to thread_first[t + 1]. */
    uint32_t *accesses;
    struct tas_run *runs;
    uint32_t *key_runs, *thread_runs, *thread_first;
    size_t access_count, run_count;

    struct tas_block *blocks; /* in the order of their begins */
    size_t block_count, block_capacity;
};

static inline const uint32_t *tas_clock(const struct st_tas_graph *graph, uint32_t number) {
    return graph->clocks[number / TAS_CLOCKS_PER_CHUNK] +
           (size_t)(number % TAS_CLOCKS_PER_CHUNK) * graph->thread_count;
}

/* The vector of an event: for each other thread the position up to which its events must happen
 * before the event, if it sees its couple. What it has for the own thread has no meaning. */
static inline const uint32_t *tas_needs(const struct st_tas_graph *graph, uint32_t event) {
    return tas_clock(graph, graph->clock[event]);
}

static inline uint32_t tas_event_at(const struct st_tas_graph *graph, uint32_t thread,
                                    uint32_t position) {
    return graph->threads[thread].events[position - 1];
}

static inline bool tas_is_access(const struct st_event *event) {
    return event->op == ST_READ || event->op == ST_WRITE;
}

static inline bool tas_is_shared_access(const struct st_tas_graph *graph, uint32_t event) {
    return tas_is_access(&graph->events[event]) && graph->shared[graph->events[event].target];
}

/* The vector of a read without what only its couple brings: all that must happen before the read
 * when it may see anything. Of other events, that of tas_needs. */
const uint32_t *tas_needs_free(const struct st_tas_graph *graph, uint32_t event);

/* Must a happen before b, when b sees its couple? */
bool tas_must_precede(const struct st_tas_graph *graph, uint32_t a, uint32_t b);

/* Two accesses of which one writes what the other accesses; of different threads. */
static inline bool tas_conflict(const struct st_tas_graph *graph, uint32_t a, uint32_t b) {
    const struct st_event *x = &graph->events[a], *y = &graph->events[b];
    return x->target == y->target && x->thread != y->thread &&
           (x->op == ST_WRITE || y->op == ST_WRITE);
}

/* Is the read the first half of a read-modify-write? Its write is the next event of the thread. */
bool tas_is_update(const struct st_tas_graph *graph, uint32_t read);

/* Do the two sets have a lock in common? */
bool tas_locks_meet(const struct st_tas_graph *graph, uint32_t set, uint32_t other);

/* Where in `acquires` those of the lock among the first `count` events of the trace end. */
uint32_t tas_acquires_before(const struct st_tas_graph *graph, uint32_t lock, uint32_t count);

/* The acquire by which the lock is held after the first `count` events of the trace, or TAS_NONE.
 */
uint32_t tas_holder(const struct st_tas_graph *graph, uint32_t lock, uint32_t count);

/* How many of the first `count` events of the trace are of the thread. */
uint32_t tas_position_before(const struct st_tas_graph *graph, uint32_t thread, uint32_t count);

/* The first place in the run whose access is at this position of the thread or behind it. */
size_t tas_run_from(const struct st_tas_graph *graph, const struct tas_run *run, uint32_t position);

#endif
