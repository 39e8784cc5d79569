/* Which units can lead to which, for all transactions of one thread and period at once.
 *
 * A path that leaves a transaction and comes back passes only units that are concurrent with it.
 * Those are the same for all transactions of a thread that begin in the same period and end in the
 * same one. So what is connected is found once for all of them, instead of by a search for each:
 *
 * - Units that meet lead to each other, so those that meetings connect all do (a union-find). If
 * two units of a chain of threads lead to each other, so do those between them, which the order of
 * the chain connects.
 * - No path leads from one chain to another if neither meetings nor order connect the two, directly
 *   or by way of others.
 *
 * The first shows most transactions that are violated, the second many of those that are not. What
 * is left is searched for (path_search.h). */
#ifndef SERIATIM_PREDICT_COMMIT_COMPONENTS_H
#define SERIATIM_PREDICT_COMMIT_COMPONENTS_H

#include "predict/commit/commit_node.h"
#include "predict/commit/forest.h"

/* Starts as all zero. */
struct st_components {
    const struct st_commit_analysis *analysis;
    bool *passable;    /* by entry: its units are concurrent with the transactions */
    uint64_t *passing; /* the same for the subject that is looked at: a bit for each place */
    uint64_t *waiting; /* those of them that nobody has reached yet */
    uint32_t *queue;   /* places that were reached */
    size_t queued;
    uint32_t *unit;   /* by unit: another one that it leads to and back, or itself. A union-find */
    uint32_t *chain;  /* by chain: another one that is connected, or itself. The same */
    bool knows_order; /* between chains; otherwise two of them may be connected even if `chain` does
                       * not say so */
    uint32_t *last;   /* by unit that stands for others: their last place in a chain */
    struct st_shape_span *nodes; /* by chain: see st_components_refute */
    uint32_t *stamps;            /* by chain: the same */
    uint32_t stamp;
};

/* For this transaction, and all others of its thread and periods. */
void st_components_make(struct st_components *components, const struct st_commit_analysis *analysis,
                        uint32_t transaction);
void st_components_free(struct st_components *components);

/* Is the transaction violated, as far as a look at some of its meetings can tell? */
bool st_components_prove(struct st_components *components, uint32_t transaction);

/* Do its nodes meet so unconnected units that it cannot be violated? */
bool st_components_refute(struct st_components *components, uint32_t transaction);

#endif
