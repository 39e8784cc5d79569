/* Almost-view-preserving prediction through trace segments (Sinha, Malik, Wang and Gupta,
 * "Predictive Analysis for Detecting Serializability Violations through Trace Segmentation"):
 * which outermost blocks of the trace does some other feasible schedule cut?
 *
 * A schedule is feasible ("AVP run") when
 *  - each thread executes its events in their order, up to some point;
 *  - each read sees the write that it saw in the trace (its couple; the initial value counts as
 *    one), but the last event of a thread may be a read that sees anything;
 *  - locks exclude each other, a thread that stopped keeps its locks; a child starts after its
 *    fork, and a join waits until the child did all its events and saw all its couples;
 *  - a receive comes after all sends of its channel that came before it in the trace. So barriers
 *    hold (all arrivals of a round before all its departures), semaphores have the tokens that they
 *    need, and sections of reader-writer locks keep their order. A condition wait, which is `rel(l)
 *    rcv(c) acq(l)` or `rel(l) acq(l) rcv(c)` of one thread, also starts (`rel`) before the sends
 *    that woke it: those between its `rel` and its `rcv`;
 *  - a read and the write of the same variable directly behind it in its thread can be one atomic
 *    operation (`joined`): nobody else touches the variable between the two. When its read sees
 *    something else than its couple, the write is not executed, and what the variable holds then is
 *    not known: no read sees its couple there until someone writes.
 *
 * A block is violated when a feasible schedule has a path of read/write conflicts and thread order
 * that leaves the block at s, goes through other threads and returns at a later t. Locks, forks,
 * joins and channels are no edges of such paths.
 *
 *     struct st_tas_graph *graph = st_tas_graph_new(events, count);
 *     st_tas_run(graph, &setup, &prediction, &counts);   as often as wanted
 *     st_tas_graph_free(graph);
 */
#ifndef SERIATIM_PREDICT_TAS_TAS_H
#define SERIATIM_PREDICT_TAS_TAS_H

#include "predict/predictor.h"

struct st_tas_graph;

/* The trace as the searches see it; event number i + 1 is events[i], and they must outlive it. At
 * most UINT32_MAX - 1 events; what comes beyond is ignored, and st_tas_run adds a caveat.
 * Read-only, and so for any number of threads at once. */
struct st_tas_graph *st_tas_graph_new(const struct st_event *events, size_t count);
void st_tas_graph_free(struct st_tas_graph *graph);

enum st_tas_search {
    ST_TAS_CHAINS, /* exact: decides paths, one after the other, by their order constraints */
    ST_TAS_STATES, /* exact: all states that schedules can reach; for small windows */
    ST_TAS_DPOR    /* the paper's: dynamic partial-order reduction with sleep sets */
};
const char *st_tas_search_name(enum st_tas_search search); /* "chains", "states", "dpor" */

struct st_tas_options {
    unsigned search; /* enum st_tas_search */
    bool whole_trace;
    uint64_t max_switches;
    bool table; /* the paper's Table I */
};

/* One way of doing it. */
struct st_tas_setup {
    enum st_tas_search search;
    bool whole_trace;  /* search all of the trace instead of the segment ("no TAS"); of chains it
                        * only means that nothing is replayed as observed */
    bool static_check; /* do not search for blocks of which the segment alone shows that they are
                        * atomic */
    /* How often the schedule may go from one thread to another, among accesses and lock events and
     * behind the part that is replayed as observed; 0: unbounded. Chains know no bound: what they
     * find violated is searched by states, whose answer counts. A bound makes the search
     * incomplete, and a caveat says so; dpor may even miss schedules within the bound. */
    uint64_t max_switches;
    double timeout; /* seconds of work for each block; 0: no limit */
    unsigned jobs;  /* threads to work with; 0 counts as 1. Results do not depend on it, timeouts
                     * aside */
    size_t limit;   /* how many blocks to list at most, violations first, then timeouts; 0: all */
};

/* What a run of the search did: a row of the paper's Table I. */
struct st_tas_counts {
    uint64_t blocks;        /* outermost blocks */
    uint64_t static_proofs; /* atomic by the static check */
    uint64_t clean; /* no violation possible, static proofs included; these alone with a bound on
                     * switches, since such a search proves nothing, so that some blocks are in no
                     * column then */
    uint64_t violations, timeouts;
    uint64_t interleavings; /* of dpor, complete schedules; of states, states; of chains, orders
                             * that were tried */
    double segment_size;    /* events in the segment, on average over the blocks that have one */
    double seconds;         /* of work, all threads together */
};

/* Judges all outermost blocks. Fills the prediction, which must be initialised, and finishes it.
 * Each listed violation has its path and a schedule, which ends where the path is closed; both were
 * validated by code of their own (predict/tas/recheck.h). `counts` may be NULL. */
void st_tas_run(const struct st_tas_graph *graph, const struct st_tas_setup *setup,
                struct st_prediction *prediction, struct st_tas_counts *counts);

/* Table I: the four scenarios of the paper, by dynamic partial-order reduction, and our search;
 * with the timeout and the jobs of the options. The table has found something if any of them finds
 * a violation, and is undecided if ours is. */
void st_tas_fill_table(const struct st_run *run, const struct st_predict_options *options,
                       struct st_table *table);

#endif
