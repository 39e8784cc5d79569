/* What each improvement of reduction is worth: the paper's Table 2 for a trace. */
#ifndef SERIATIM_PREDICT_REDUCTION_ABLATION_H
#define SERIATIM_PREDICT_REDUCTION_ABLATION_H

#include "predict/predictor.h"

struct st_ablation_row {
    const char *name;
    unsigned theorem;         /* 1 or 2 */
    const char *races;        /* the search for data races */
    const char *counted;      /* which accesses count for it */
    bool may_miss;            /* since that depends on the observed schedule */
    uint64_t reported_blocks; /* outermost blocks of the trace */
    uint64_t reported_names;  /* different names among them; blocks without a name count as one */
    uint64_t racy_variables;  /* that are known to be in a race */
    double seconds;           /* of work, apart from what follows the trace while it is read */
};

enum { ST_ABLATION_ROWS = 7, ST_ABLATION_DEFAULT = 5 /* the row `seriatim` */ };

/* TSE 2006, 8.3. Each row has the improvements of those before it, too, and all have those of 5.5:
 *
 *   none           races by ownership [29], all threads concurrent all the time, Theorem 1
 *   escape         races by Eraser, from the first access of a second thread on
 *   happen-before  and only where thread periods are concurrent
 *   multilockset   races by Figure 3, from the first access of a second thread on
 *   AcqA*Rel       Theorem 2 instead of Theorem 1
 *   seriatim       ours, and what reduction does by default: races by Figure 3 over all accesses
 *                  that can be concurrent, with no guess about when a variable escaped
 *   pairwise       ours: the same by pairs
 *
 * The first five depend on the schedule that was observed, and can miss violations.
 *
 * The rows of the paper take N? in the middle, as its implementation does (5.6), and AcqA*Rel only
 * of locks for which that is right (predict/reduction/movers.h). The first two rows are about
 * variables that are shared and the others about those that are contended, so that it takes two
 * models of the run: `shared` was made with keep_shared, and `model` without. */
void st_ablation_find(const struct st_model *shared, const struct st_model *model,
                      struct st_ablation_row rows[ST_ABLATION_ROWS]);

/* The same as a table for people and programs. */
void st_ablation_fill(const struct st_run *run, const struct st_predict_options *options,
                      struct st_table *table);

#endif
