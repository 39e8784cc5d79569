/* The events of a window in a growing partial order. Nodes are accesses to shared variables and
 * lock events, each with a clock. A read-modify-write is one node, at the position of the write.
 *
 * clock(v)[a] is the position up to which the events of actor a come before node v.
 * tas_nodes_inherit adds what follows from thread order and from what must happen before, round by
 * round, until nothing changes.
 *
 * Invariant: if a node w comes before v, as far as clock(v) knows, then clock(v) has everything
 * that must happen before w. So v has something to inherit from w only if the clock of w has grown
 * since it was made. Where many threads are in a window, few clocks have. */
#ifndef SERIATIM_PREDICT_TAS_NODES_H
#define SERIATIM_PREDICT_TAS_NODES_H

#include "predict/tas/window_steps.h"

struct tas_node {
    uint32_t event; /* for a read-modify-write, its read */
    uint32_t strand, actor, position;
    enum tas_kind kind;
    bool free; /* the last event of its strand: it may see anything and, as a read-modify-write,
                * may leave anything */
    uint32_t object; /* for an access its variable, for a lock event its section */
    uint32_t couple; /* for a read, the node that wrote; TAS_NONE: before the window; TAS_NEVER:
                      * the write is not executed; TAS_OPEN: one of several, which is not decided */
    uint32_t leaves; /* for a write, the content of its variable after it (graph.h) */
};
#define TAS_NEVER (TAS_NONE - 1)
#define TAS_OPEN (TAS_NONE - 2)

static inline bool tas_node_reads(const struct tas_node *node) {
    return (node->kind == TAS_READ || node->kind == TAS_UPDATE) && !node->free;
}

static inline bool tas_node_writes(const struct tas_node *node) {
    return node->kind == TAS_WRITE || node->kind == TAS_UPDATE;
}

struct tas_node_actor {
    uint32_t strand;
    uint32_t first, count; /* its nodes are list[first] up to list[first + count] */
};

/* A critical section, as far as it lies in the window. */
struct tas_section {
    uint32_t lock, strand;
    uint32_t acquire, release; /* nodes; TAS_NONE: before the window; after it, or never */
    uint32_t acquire_event;
};

/* The part of a variable or lock that belongs to one strand: places in `writes` or
 * `section_order`. */
struct tas_node_run {
    uint32_t strand, actor; /* TAS_NONE: a strand without nodes */
    uint32_t first, end;
};

/* For sorting sections. */
struct tas_sort_key {
    uint64_t major;
    uint32_t minor, of;
};

struct tas_nodes {
    const struct st_tas_graph *graph;
    struct tas_node *list; /* actor by actor */
    size_t count, capacity;
    struct tas_node_actor *actors;
    uint32_t width;     /* number of actors */
    uint32_t *actor_of; /* by strand */
    uint32_t *observed; /* all nodes in trace order */
    uint32_t *clocks;   /* by node and actor */
    bool *grown;        /* by node: its clock has more than what must happen before it */
    bool changed;       /* some clock has grown */

    struct tas_section *sections;
    uint32_t *section_order; /* by lock, strand and position */
    size_t section_count;
    uint32_t *writes; /* nodes that write, by variable and position */
    size_t write_count;
    struct tas_node_run *write_runs, *section_runs;
    uint32_t *variable_runs, *lock_runs; /* where the runs of each start */
    uint32_t variable_count, lock_count;

    /* Capacities, in the order of the arrays above. */
    size_t observed_capacity, clock_capacity, grown_capacity, section_capacity, order_capacity,
        writes_capacity;
    size_t write_run_capacity, section_run_capacity, variable_capacity, lock_capacity;

    /* Indexed by variable and by lock of the trace: their numbers here, valid where the stamps
     * agree. */
    uint32_t *variable_numbers, *variable_stamps, *lock_numbers, *lock_stamps, stamp;
    uint32_t *lock_names; /* by number: the lock of the trace */
    size_t lock_name_capacity;
    /* While they are made. */
    struct tas_sort_key *keys;
    uint32_t *merged, *places; /* places: by variable */
    size_t key_capacity, merged_capacity, place_capacity;
};

void tas_nodes_init(struct tas_nodes *nodes, const struct st_tas_graph *graph);
void tas_nodes_free(struct tas_nodes *nodes);

/* Makes the nodes of the worker's window. If the last event of a strand is a read, it is free,
 * unless `needed` has its position, which means that other events need it. */
void tas_nodes_make(struct tas_nodes *nodes, const struct tas_worker *worker,
                    const uint32_t *needed);

/* The node of an event, or TAS_NONE. */
uint32_t tas_nodes_find(const struct tas_nodes *nodes, uint32_t event);

/* Is it known that one node comes before the other? */
bool tas_nodes_precede(const struct tas_nodes *nodes, uint32_t from, uint32_t to);

/* Puts one node before the other. False if that makes a cycle. */
bool tas_nodes_put(struct tas_nodes *nodes, uint32_t from, uint32_t to);

/* Puts before the node what comes before the previous node of its thread, and what comes before any
 * node known to precede it. False if that makes a cycle. */
bool tas_nodes_inherit(struct tas_nodes *nodes, uint32_t node);

/* For each strand of the trace, the last position that comes before the node. */
void tas_nodes_before(const struct tas_nodes *nodes, uint32_t node, uint32_t *before);

/* Has everything that comes before the node been executed? `next` counts the executed nodes by
 * actor. */
bool tas_nodes_ready(const struct tas_nodes *nodes, uint32_t node, const uint32_t *next);

/* Of the writes of a run: the last that comes before a node, and the first that comes after one. */
uint32_t tas_nodes_last_write(const struct tas_nodes *nodes, const struct tas_node_run *run,
                              uint32_t node);
uint32_t tas_nodes_first_write_after(const struct tas_nodes *nodes, const struct tas_node_run *run,
                                     uint32_t node);

/* The last section of a run that starts before the node. The run belongs to another strand. */
const struct tas_section *tas_nodes_last_section(const struct tas_nodes *nodes,
                                                 const struct tas_node_run *run, uint32_t node);

#endif
