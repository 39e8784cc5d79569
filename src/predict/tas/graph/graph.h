/* The trace as the searches see it: all events, and what must happen before what.
 *
 * A strand is one thread, or several, each of which is created after the one before it has been
 * joined. So all events of a strand are in one order, and of a program that makes a thread for each
 * request there are as many strands as it has threads at a time. What counts threads counts strands
 * instead: a vector has an entry for each strand, and a search asks each strand. Only a path knows
 * the threads of a strand: it follows the order of a thread, and goes from one thread to another by
 * conflicts alone, also within a strand.
 *
 * An event is identified by its index, or by strand and position (1-based, dropped
 * events not counted). "Must happen before" (MHB, the paper's Equation 1) is the transitive closure
 * of thread order, couples, fork, join, channels and waits (predict/tas/tas.h). Locks are not part
 * of it.
 *
 * Events share vectors: an event gets a new one only if something new must happen before it, so
 * there are far fewer vectors than events. Vectors share the entries that they have in common, and
 * have none for strands of which nothing must happen before (base/shared_row.h). */
#ifndef SERIATIM_PREDICT_TAS_GRAPH_GRAPH_H
#define SERIATIM_PREDICT_TAS_GRAPH_GRAPH_H

#include "base/shared_row.h"
#include "predict/tas/tas.h"

#define TAS_NONE UINT32_MAX

struct tas_strand {
    uint32_t *events; /* events[p - 1] is the index of the event at position p */
    uint32_t count;
    uint32_t only; /* its thread; TAS_NONE: there are several */
};

struct tas_thread {
    uint32_t strand;
    uint32_t before, last; /* the position before its first event, and that of its last one */
    uint32_t start;        /* the vector in force before the first event */
};

/* An outermost block: the events of `thread` from position `first` (its begin) to `last`. */
struct tas_block {
    uint32_t thread, strand, first, last;
    bool open; /* no end in the trace; `last` is then the last event of the thread */
};

/* The accesses of one kind by one strand to one variable, in order. */
struct tas_run {
    uint32_t strand, key; /* key: 2 * variable + is it a write */
    uint32_t first;       /* in accesses; ends where the next run starts */
};

struct st_tas_graph {
    const struct st_event *events;         /* owned by the caller */
    const uint64_t *numbers;               /* likewise; NULL: event i has number i + 1 */
    const struct st_value_numbers *values; /* likewise; NULL: none is known */
    size_t count;
    bool overflow; /* there were more events than indices */

    /* For each event. Dropped events have position 0 and no other data. */
    uint32_t *position;
    /* For a read: index + 1 of its couple, or 0 for the initial value. For a write: index + 1 of
     * the read with which it forms a read-modify-write, or 0. For an acquire: index + 1 of its
     * release, or 0 if there is none. For a release: index + 1 of its acquire. */
    uint32_t *partner;
    uint32_t *clock;   /* the number of its vector */
    uint32_t *lockset; /* the number of its lockset, which for a lock event includes its own
                        * lock */

    /* NULL: the trace has no values. For a write, what the variable holds after it; for a read,
     * what it must hold before: index + 1 of the first write that leaves this value, or 0 if it is
     * the initial one. A value that is not known is equal to no other. */
    uint32_t *content;
    uint32_t *alike;         /* for a write: index + 1 of the next one that leaves the same, or 0 */
    uint32_t *alike_initial; /* by variable: likewise the first that leaves the initial value */
    bool *open;              /* a read that can see its value from more than one write */

    struct tas_strand *strands;
    uint32_t strand_count;
    struct tas_thread *threads;
    uint32_t thread_count;
    struct st_rows rows;
    struct st_shared_row **clocks; /* the vectors, by number */
    size_t clock_count, clock_capacity;

    /* Set number s: lock_members[lock_sets[s]] up to lock_members[lock_sets[s + 1]], ascending. */
    uint32_t *lock_sets, *lock_members;
    size_t set_count, set_capacity, member_capacity;

    /* The acquires of lock l in order: acquires[lock_first[l]] up to lock_first[l + 1]. */
    uint32_t *acquires, *lock_first;
    uint32_t lock_count;
    uint32_t variable_count;
    bool *shared; /* by variable: at least two threads access it, and one writes */

    /* Accesses to shared variables by key, strand and position. The runs of key q are
     * runs[key_runs[q]] up to runs[key_runs[q + 1]]; a sentinel run marks the end. The run numbers
     * of strand t are strand_runs[strand_first[t]] up to strand_first[t + 1]. */
    uint32_t *accesses;
    struct tas_run *runs;
    uint32_t *key_runs, *strand_runs, *strand_first;
    size_t access_count, run_count;

    struct tas_block *blocks; /* in the order of their begins */
    size_t block_count, block_capacity;
};

static inline const struct tas_thread *tas_thread_of(const struct st_tas_graph *graph,
                                                     uint32_t event) {
    return &graph->threads[graph->events[event].thread];
}

static inline uint32_t tas_strand_of(const struct st_tas_graph *graph, uint32_t event) {
    return tas_thread_of(graph, event)->strand;
}

/* The number of an event in the trace. */
static inline uint64_t tas_number(const struct st_tas_graph *graph, uint32_t event) {
    return graph->numbers ? graph->numbers[event] : (uint64_t)event + 1;
}

static inline struct st_shared_row *tas_clock(const struct st_tas_graph *graph, uint32_t number) {
    return graph->clocks[number];
}

/* What a variable holds after a write, or must hold before a read (`content` above). */
static inline uint32_t tas_content(const struct st_tas_graph *graph, uint32_t event) {
    if (graph->content)
        return graph->content[event];
    return graph->events[event].op == ST_READ ? graph->partner[event] : event + 1;
}

static inline bool tas_is_open(const struct st_tas_graph *graph, uint32_t event) {
    return graph->open && graph->open[event];
}

/* If the trace has values: index + 1 of the first write that leaves what the read must see, which
 * may come after it; the others follow in `alike`. 0: there is none. */
uint32_t tas_first_alike(const struct st_tas_graph *graph, uint32_t read);

/* The vector of an event: for each other strand, the position up to which its events must happen
 * before this event if it sees its couple. The entry for the event's own strand is meaningless. */
static inline struct st_shared_row *tas_needs(const struct st_tas_graph *graph, uint32_t event) {
    return tas_clock(graph, graph->clock[event]);
}

/* Walks over the strands that have an entry in a vector. */
struct tas_walk {
    const struct st_shared_row *needs;
    uint32_t strand, position; /* of the present entry */
    uint64_t at;
    const uint32_t *leaf;
};

static inline bool tas_walk_next(struct tas_walk *walk) {
    while (walk->leaf || (walk->leaf = st_row_leaf(walk->needs, &walk->at))) {
        walk->strand = (uint32_t)walk->at;
        walk->position = walk->leaf[walk->at++ % ST_ROW_FAN];
        if (walk->at % ST_ROW_FAN == 0)
            walk->leaf = NULL;
        if (walk->position)
            return true;
    }
    return false;
}

/* The entries of a vector for all strands. */
void tas_needs_list(const struct st_tas_graph *graph, const struct st_shared_row *needs,
                    uint32_t *positions);

static inline uint32_t tas_event_at(const struct st_tas_graph *graph, uint32_t strand,
                                    uint32_t position) {
    return graph->strands[strand].events[position - 1];
}

static inline bool tas_is_access(const struct st_event *event) {
    return event->op == ST_READ || event->op == ST_WRITE;
}

static inline bool tas_is_shared_access(const struct st_tas_graph *graph, uint32_t event) {
    return tas_is_access(&graph->events[event]) && graph->shared[graph->events[event].target];
}

/* The number of the vector of a read without what only its couple contributes: what must happen
 * before the read if it may see anything. For other events, that of their vector. */
uint32_t tas_free_clock(const struct st_tas_graph *graph, uint32_t event);

/* The same vector. */
static inline struct st_shared_row *tas_needs_free(const struct st_tas_graph *graph,
                                                   uint32_t event) {
    return tas_clock(graph, tas_free_clock(graph, event));
}

/* Must a happen before b, if b sees its couple? */
bool tas_must_precede(const struct st_tas_graph *graph, uint32_t a, uint32_t b);

/* Has a strand only one thread, and is that marked in a list by thread? */
static inline bool tas_is_visited(const struct st_tas_graph *graph, const bool *visited,
                                  uint32_t strand) {
    return graph->strands[strand].only != TAS_NONE && visited[graph->strands[strand].only];
}

/* Two accesses of different threads to the same variable, at least one of them a write. */
static inline bool tas_conflict(const struct st_tas_graph *graph, uint32_t a, uint32_t b) {
    const struct st_event *x = &graph->events[a], *y = &graph->events[b];
    return x->target == y->target && x->thread != y->thread &&
           (x->op == ST_WRITE || y->op == ST_WRITE);
}

/* Is the read the first half of a read-modify-write? The write is then the next event of its
 * thread. */
bool tas_is_update(const struct st_tas_graph *graph, uint32_t read);

/* Do the two locksets have a lock in common? */
bool tas_locks_meet(const struct st_tas_graph *graph, uint32_t set, uint32_t other);

/* The end, in `acquires`, of the acquires of the lock among the first `count` events of the
 * trace. */
uint32_t tas_acquires_before(const struct st_tas_graph *graph, uint32_t lock, uint32_t count);

/* The acquire that holds the lock after the first `count` events of the trace, or TAS_NONE. */
uint32_t tas_holder(const struct st_tas_graph *graph, uint32_t lock, uint32_t count);

/* A strand has executed its events up to the position, and another one acquires the lock after
 * that: up to which position must the strand then be executed? Up to its release, if it holds the
 * lock; UINT32_MAX if it never releases it. */
uint32_t tas_position_let_in(const struct st_tas_graph *graph, uint32_t strand, uint32_t position,
                             uint32_t lock);

/* The same for an event of another strand, which holds all locks of its lockset. */
uint32_t tas_position_let_in_all(const struct st_tas_graph *graph, uint32_t strand,
                                 uint32_t position, uint32_t event);

/* How many of the first `count` events of the trace belong to the strand. */
uint32_t tas_position_before(const struct st_tas_graph *graph, uint32_t strand, uint32_t count);

/* The accesses with this key by the strand, or NULL. */
const struct tas_run *tas_run_of(const struct st_tas_graph *graph, uint32_t key, uint32_t strand);

/* The first place in the run whose access is at or after this position of the strand. */
size_t tas_run_from(const struct st_tas_graph *graph, const struct tas_run *run, uint32_t position);

/* The same for the first access that is not before the event in the trace. */
size_t tas_run_from_event(const struct st_tas_graph *graph, const struct tas_run *run,
                          uint32_t event);

/* ---- building it: passes over the trace ---- */

void tas_build_threads(
    struct st_tas_graph *graph); /* strands, positions, blocks, what is shared: graph_build.c */
void tas_build_contents(struct st_tas_graph *graph,
                        const struct st_value_numbers *values);       /* contents.c */
bool tas_has_choice(const struct st_tas_graph *graph, uint32_t read); /* for `open` */
void tas_build_order(
    struct st_tas_graph *graph); /* partners, locksets and vectors: graph_order.c */
void tas_build_accesses(struct st_tas_graph *graph); /* the index of accesses: graph_build.c */

#endif
