/* Almost-view-preserving prediction through trace segments (Sinha, Malik, Wang and Gupta,
 * "Predictive Analysis for Detecting Serializability Violations through Trace Segmentation"): which
 * outermost blocks of the trace does some other feasible schedule cut?
 *
 * A schedule is feasible ("AVP run") when
 *  - each thread executes its events in order, up to some point;
 *  - each read sees the write that it saw in the trace (its couple; the initial value counts as
 *    one), except that the last event of a thread may be a read that sees anything. If the trace
 *    knows values, a read also sees its couple where it sees another write of the same value. The
 *    value of a write is what the trace says that it left, or that the variable held before the
 * next write, or when a read saw it; if these differ, it is unknown, and equal to no other.
 * Likewise the initial value;
 *  - locks exclude each other, and a thread that has stopped keeps its locks; a child starts after
 *    its fork, and a join waits until the child has executed all its events and seen all its
 *    couples;
 *  - a receive comes after all sends of its channel that came before it in the trace. So barriers
 *    hold (all arrivals of a round before all its departures), semaphores have the tokens that they
 *    need, and sections of reader-writer locks keep their order. A condition wait, which is `rel(l)
 *    rcv(c) acq(l)` or `rel(l) acq(l) rcv(c)` of one thread, also starts (`rel`) before the sends
 *    that woke it: those between its `rel` and its `rcv`;
 *  - a read and the write to the same variable directly after it in its thread can be one atomic
 *    operation (`joined`): no other thread touches the variable between the two. If the read does
 *    not see its couple, the write is not executed, and the value of the variable is then unknown:
 *    no read sees its couple there until another write.
 *
 * A block is violated if a feasible schedule has a path of read/write conflicts and thread order
 * that leaves the block at s, goes through other threads and returns at a later t. Locks, forks,
 * joins and channels are not edges of such paths.
 *
 *     struct st_tas_graph *graph = st_tas_graph_new(events, count);
 *     st_tas_run(graph, &setup, &prediction, &counts);   as often as you like
 *     st_tas_graph_free(graph); */
#ifndef SERIATIM_PREDICT_TAS_TAS_H
#define SERIATIM_PREDICT_TAS_TAS_H

#include "predict/predictor.h"
#include "trace/values.h"

struct st_tas_graph;

/* The trace as the searches see it. Event number i + 1 is events[i]; the events must outlive the
 * graph. It takes at most UINT32_MAX - 1 events and ignores the rest, and st_tas_run then adds a
 * caveat. The graph is read-only, so any number of threads may use it at once. */
struct st_tas_graph *st_tas_graph_new(const struct st_event *events, size_t count);

/* The same for an excerpt of a trace (predict/excerpt.h): events[i] is event number numbers[i].
 * Findings have the numbers of the trace, and schedules do not list what they replay from its
 * beginning (st_predicted_block.replayed). Without numbers, it is the trace. values[i] has
 * what is known of the variable of events[i]; without values, nothing is. All must outlive the
 * graph. */
struct st_tas_graph *st_tas_graph_of(const struct st_event *events, const uint64_t *numbers,
                                     const struct st_value_numbers *values, size_t count);
void st_tas_graph_free(struct st_tas_graph *graph);

enum st_tas_search {
    ST_TAS_CHAINS, /* exact: decides paths, one after another, by their order constraints */
    ST_TAS_STATES, /* exact: visits all states that schedules can reach; for small windows */
    ST_TAS_DPOR    /* the paper's: dynamic partial-order reduction with sleep sets */
};
const char *st_tas_search_name(enum st_tas_search search); /* "chains", "states", "dpor" */

/* What the static check makes of a segment that does not settle its block (segment.h). Answers do
 * not depend on it. */
enum st_tas_shrinking { ST_TAS_SHRINK_CONFLICTS, ST_TAS_SHRINK_PATHS, ST_TAS_SHRINK_NO };

struct st_tas_options {
    unsigned search; /* enum st_tas_search */
    unsigned shrink; /* enum st_tas_shrinking */
    bool whole_trace;
    uint64_t max_switches;
    bool table;     /* the paper's Table I */
    bool shrinking; /* what shrinking is worth */
};

/* One configuration of the search. */
struct st_piece_dealer;

struct st_tas_setup {
    enum st_tas_search search;
    bool whole_trace;  /* search the whole trace instead of the segment ("no TAS"); for chains it
                        * only means that nothing is replayed as observed */
    bool static_check; /* do not search blocks that the segment alone proves atomic */
    enum st_tas_shrinking shrinking; /* by the static check */
    /* How often the schedule may switch threads, counted among accesses and lock events after the
     * part that is replayed as observed; 0: unbounded. The search over chains ignores the bound:
     * what it finds violated is searched again by states, whose answer counts. A bound makes the
     * search incomplete, and a caveat says so; dpor may even miss schedules within the bound. */
    uint64_t max_switches;
    double timeout;                    /* seconds of work for each block; 0: no limit */
    const struct st_total_time *total; /* for all blocks together; NULL: no limit */
    unsigned jobs; /* threads to use; 0 counts as 1. Results do not depend on it, apart from
                    * timeouts */
    size_t limit;  /* list at most this many blocks, violations first, then timeouts; 0: all.
                    * Of violations, names share the places, as in st_report_units */
    struct st_tas_suspect *suspects; /* judge these only, and count the others as atomic; NULL: all
                                      * are judged. In the order of their begins */
    size_t suspect_count;
    const struct st_piece_dealer *dealer; /* others work with us; NULL: nobody does */
};

/* An outermost block that is to be judged. */
struct st_tas_suspect {
    uint64_t begin;                /* number of its first event */
    enum st_block_verdict verdict; /* st_tas_run sets it */
};

/* What a run of the search did: a row of the paper's Table I. */
struct st_tas_counts {
    uint64_t blocks;        /* outermost blocks */
    uint64_t static_proofs; /* atomic by the static check */
    uint64_t clean; /* no violation possible, static proofs included. With a bound on switches,
                     * static proofs alone, since a bounded search proves nothing; some blocks are
                     * in no column then */
    uint64_t violations, timeouts;
    uint64_t interleavings; /* for dpor complete schedules, for states states, for chains orders
                             * tried */
    double segment_size;    /* events in the segment, averaged over the blocks that have one */
    double seconds;         /* of work, all threads together */
};

/* Decides all outermost blocks. Fills in the prediction, which must be initialised, and finishes
 * it. Each listed violation has its path and a schedule that ends where the path closes. Separate
 * code has validated both (validation.c). `counts` may be NULL. */
void st_tas_run(const struct st_tas_graph *graph, const struct st_tas_setup *setup,
                struct st_prediction *prediction, struct st_tas_counts *counts);

/* Table I: the paper's four scenarios, by dynamic partial-order reduction, and our search, with the
 * timeout and the jobs of the options. The table has found something if any of them finds a
 * violation, and is undecided if ours is. */
void st_tas_fill_table(const struct st_run *run, const struct st_predict_options *options,
                       struct st_table *table);

/* What shrinking segments is worth to the static check; nothing is searched. */
void st_tas_fill_shrinking(const struct st_run *run, const struct st_predict_options *options,
                           struct st_table *table);

/* Is a finding true? This makes one pass over its schedule, by the definition above and nothing
 * else: it uses the events of the trace and no graph (validation.c).
 *
 * NULL if the schedule of the finding is feasible and its path violates the block; otherwise what
 * is wrong. `events` are all events of the trace, as passed to st_tas_graph_new. */
const char *st_tas_validate(const struct st_event *events, size_t count,
                            const struct st_predicted_block *predicted);

/* The same of several findings, with the numbers and values passed to st_tas_graph_of: what is
 * wrong with each. What their schedules have in common is looked at once. */
void st_tas_validate_all(const struct st_event *events, const uint64_t *numbers,
                         const struct st_value_numbers *values, size_t count,
                         const struct st_predicted_block *predicted, size_t findings,
                         const char **wrong);
const char *st_tas_validate_of(const struct st_event *events, const uint64_t *numbers,
                               const struct st_value_numbers *values, size_t count,
                               const struct st_predicted_block *predicted);

#endif
