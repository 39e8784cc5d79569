/* What could go wrong in other schedules of an observed run. Analyses of src/predict fill it,
 * reports are written from it and from nothing else.
 *
 * Names are numbers of the trace's symbols; event numbers are 1-based positions in the trace that
 * was observed, also where a schedule has the events in another order. */
#ifndef SERIATIM_FINDING_PREDICTION_H
#define SERIATIM_FINDING_PREDICTION_H

#include "finding/finding.h"

/* What an analysis says of a block. The larger, the more there is to say. */
enum st_block_verdict {
    ST_BLOCK_ATOMIC,
    ST_BLOCK_TIMEOUT,   /* the analysis gave up before it knew */
    ST_BLOCK_POTENTIAL, /* the analysis is conservative: it may be a false alarm */
    ST_BLOCK_VIOLATION  /* some schedule of the run certainly cuts the block */
};
const char *st_block_verdict_name(enum st_block_verdict verdict); /* "atomic", "timeout", ... */

/* A read of a predicted schedule that does not see the write that it saw in the trace. Numbers of
 * events; 0 stands for the initial value, and what an atomic operation leaves that is broken itself
 * is not known. */
#define ST_UNKNOWN_WRITE UINT64_MAX
struct st_broken_read {
    uint64_t event;
    uint64_t sees, saw;
};

/* So many events of one thread are not shown, among those that come right before one that is. */
struct st_left_out {
    uint64_t before; /* its number; 0: they are the last of the schedule */
    uint32_t thread;
    uint64_t count;
};

/* What is said of one block of the trace. Lists that are empty are NULL. */
struct st_predicted_block {
    uint32_t block; /* name, or ST_NO_NAME */
    uint32_t thread;
    uint64_t begin_loc;
    uint64_t begin, end; /* end is 0 if the block is still open at the end of the trace */
    unsigned depth;      /* how many blocks are around it */
    enum st_block_verdict verdict;

    /* The rest is empty when the block is atomic or timed out. */
    char *pattern;       /* "R-W-R"; of reduction, the movers: "RBLRBL" */
    char *why;           /* one sentence that explains the finding, without names of the trace's
                          * threads; NULL: pattern and events say it all */
    uint32_t *variables; /* what it is about */
    size_t variable_count;
    struct st_place *events; /* those that the finding rests on, in the order in which the predicted
                              * schedule has them: leaving the block, elsewhere, coming back */
    size_t event_count;
    uint64_t events_of;   /* the block of the thread that begins with this event does the same, and
                           * the thread's events in the lists here are those of that one; 0: they are
                           * the block's own */
    struct st_edge *path; /* the dependences among them, out of the block and back; may be empty */
    size_t path_length;
    struct st_place *nodes; /* commit nodes that cannot be moved together: accesses, or acquires
                             * that stand for their critical sections; of commit-node only */
    size_t node_count;
    bool cut_inside;  /* a block in it is reported that says as much: it is shown with that one */
    uint32_t *around; /* names of blocks around it that are reported, the innermost first */
    size_t around_count, around_capacity;
    uint64_t *witness; /* a whole schedule: event numbers in the order in which they run */
    size_t witness_length;
    uint64_t replayed; /* before the witness, the events to this number run as in the trace; 0:
                        * none. If there are some, the witness lists only events that count for
                        * feasible schedules (predict/excerpt.h) */
    struct st_broken_read *broken; /* the reads of the witness that see something else than they did
                                    * in the trace, in the order of the witness */
    size_t broken_count;

    struct st_block_gap *gap; /* NULL: nobody has looked for it yet */

    /* finding/schedules.h fills the rest, an analysis need not. */
    struct st_place *schedule; /* those events of the witness that are shown, in its order */
    size_t schedule_length;
    struct st_left_out *left_out; /* whose the others are, in its order, too; for each row of them
                                   * the thread that has most comes first */
    size_t left_out_count, left_out_capacity;
};

/* Is the block one that is reported? */
static inline bool st_is_reported(const struct st_predicted_block *block) {
    return block->verdict >= ST_BLOCK_POTENTIAL;
}

/* Two conflicting accesses that no lock and no order keeps apart. */
struct st_predicted_race {
    uint32_t variable;
    bool suspected; /* only that locks are used in too many ways at accesses to the variable: these
                     * are two of them, which need not race */
    struct st_place first, second;
};

/* Threads that may wait for each other in a ring: each holds a lock that the one before it wants,
 * and wants the lock that the next one holds. */
struct st_predicted_wait {
    struct st_place holds, wants; /* two acquires of one thread */
};
struct st_predicted_deadlock {
    struct st_predicted_wait *waits;
    size_t count;
};

/* What one analysis had to say. */
struct st_prediction {
    const char *engine; /* "tas", "blocks", ... */
    const char *notion; /* "conflict", "view", "avp": what atomic means to it */
    const char *method; /* the theorem or search that was used, in a few words */
    bool gives_traces;  /* a witness has all events that run, so that it is a trace */
    bool in_tiers;      /* one analysis says what is possible, another proves what it can of it */

    /* Is every schedule of the run serializable? ST_UNDECIDED when something timed out and nothing
     * was found. */
    enum st_verdict atomic;

    unsigned deepest;     /* how many blocks are around those that it judged */
    uint64_t block_count; /* judged: outermost blocks, and those of each depth to ... */
    uint64_t by[ST_BLOCK_VIOLATION + 1]; /* how many of them, by verdict */
    bool checks_statically;              /* the analysis has a static check, which showed ... */
    uint64_t static_proofs; /* ... that so many of the atomic blocks are, without a search */
    struct st_predicted_block *blocks; /* in the order of their begins; maybe not all of them */
    size_t listed, capacity;

    /* For each name of a block: how many blocks there were, and how many are reported (potential or
     * violation). */
    uint64_t *executed, *reported;
    size_t name_capacity;
    uint64_t unnamed_executed, unnamed_reported;

    struct st_predicted_race *races; /* of analyses that look for them */
    size_t race_count, race_capacity;
    bool finds_races;

    double seconds;           /* of work, all threads together */
    uint64_t storage;         /* what the papers' tables count, in ... */
    const char *storage_unit; /* ... these units: "blocks", "nodes and edges" */

    bool may_miss;        /* that no block is reported does not mean that none can be cut */
    uint64_t unproven;    /* blocks for which the search for a proof did not come to an end */
    bool stopped;         /* the time for all of it was over, or somebody stopped it */
    const char **caveats; /* sentences that limit what was said */
    size_t caveat_count, caveat_capacity;
    size_t
        end_caveat; /* the one that says where the judged part of the run ends, plus 1; 0: none */
};

void st_prediction_init(struct st_prediction *prediction);
void st_prediction_free(struct st_prediction *prediction);

/* Appends a block; takes over its lists. Counts it in `by`, and by its name. */
void st_prediction_add(struct st_prediction *prediction, const struct st_predicted_block *block);

/* Only counts a block that is not listed. */
void st_prediction_count(struct st_prediction *prediction, uint32_t block,
                         enum st_block_verdict verdict);

/* A sentence that the reader must know; each once. It is copied. */
void st_prediction_caveat(struct st_prediction *prediction, const char *sentence);

/* A sentence that says how much of the run is judged. There is one: if blocks at another depth were
 * judged in a smaller part of it, theirs takes the place of the first. The analysis may miss
 * something then. */
void st_prediction_ends_early(struct st_prediction *prediction, const char *sentence);

/* The same with a sentence that says why a violation may have been missed. */
void st_prediction_may_miss(struct st_prediction *prediction, const char *sentence);

/* So many more blocks of a name are not judged, for a reason that a caveat has. The prediction is
 * finished. */
void st_prediction_leave_out(struct st_prediction *prediction, uint32_t block, uint64_t count);

/* So many more blocks of a name are atomic, without a search. The prediction is finished. */
void st_prediction_add_atomic(struct st_prediction *prediction, uint32_t block, uint64_t count);

/* Adds what was said of other blocks at the same depth; both are finished. Takes over its blocks,
 * and leaves it empty. */
void st_prediction_add_portion(struct st_prediction *prediction, struct st_prediction *portion);

/* Adds what was said of the blocks inside so many others; both are finished. Takes over its blocks,
 * and leaves it empty. */
void st_prediction_add_depth(struct st_prediction *prediction, struct st_prediction *inner,
                             unsigned depth);

/* Sets `atomic` from `by`, and sorts what is listed. No more may come. */
void st_prediction_finish(struct st_prediction *prediction);

/* What the notion says of the schedules: may reads see anything in them, so that the program need
 * not be able to run like that? Or must each read see the write that it saw? */
bool st_prediction_any_reads(const struct st_prediction *prediction);
bool st_prediction_same_reads(const struct st_prediction *prediction);

/* How many blocks are reported, listed or not. */
static inline uint64_t st_all_reported(const struct st_prediction *prediction) {
    return prediction->by[ST_BLOCK_POTENTIAL] + prediction->by[ST_BLOCK_VIOLATION];
}

/* All that `seriatim predict` found in a trace. */
struct st_predictions {
    struct st_prediction *items; /* one for each analysis that ran */
    size_t count;
    bool deadlocks_sought;
    struct st_predicted_deadlock *deadlocks;
    size_t deadlock_count, deadlock_capacity;
    bool more_deadlocks; /* there may be more than those */
};

void st_predictions_free(struct st_predictions *predictions);

/* The same as st_prediction_add_portion for each of them, which are from the same analyses; if
 * there are none yet, the portion is all. Takes it over, and leaves it empty. */
void st_predictions_add_portion(struct st_predictions *predictions, struct st_predictions *portion);

/* A ring of so many waits; keeps a copy of them. */
void st_predictions_deadlock(struct st_predictions *predictions,
                             const struct st_predicted_wait *waits, size_t count);

/* Replaces each location in all of them by what `map` gives for it. */
void st_predictions_map_locations(struct st_predictions *predictions,
                                  uint64_t (*map)(void *context, uint64_t loc), void *context);

#endif
