/* What a recorded run foreshadows: the findings of all analyses of src/predict, at every depth of
 * blocks, as a list of predictions that a hunt can try.
 *
 * A prediction is a JSON object, since it goes from one process to another and ends in a report:
 *
 *     {"kind": "cut",                        or "deadlock"
 *      "block": "transfer", "depth": 0,      of a cut; depth 0 is outermost
 *      "engines": ["blocks", "commit-node"], that foresee it
 *      "verdict": "violation",               or "potential", the most that any of them says
 *      "pattern": "W-R-R-W",
 *      "on": ["checking.balance"],           variables; of a deadlock, locks
 *      "begin": 7, "thread": "T1",           an event of the trace, and whose it is
 *      "loc": "bank.c:40",                   where the block begins
 *      "impossible": true,                   no order of the recorded events cuts it
 *      "ways": [[{"role": 0, "thread": "T1", "op": "w(checking.balance)", "does": "write",
 *                 "same": 0, "function": "withdraw", "loc": "bank.c:33", "line": "bank.c:33",
 *                 "event": 8, "entry": {"does": "acquire", "loc": ..., "line": ...}}]]}
 *
 * A way is what has to happen, step after step. Steps of one thread have the same role, and that of
 * the block is 0; `same` is the first step that is about the same variable or lock. `loc` is the
 * line in the user's own code, `line` that of the innermost frame. `entry` is where the thread
 * acquired the first of the locks that it held, if it held one.
 *
 * Predictions of the same block on the same variables are one. Where an analysis names nothing that
 * another thread does, it joins another prediction of the block, if there is one.
 *
 * What is impossible. An analysis that misses nothing (commit-node) looks at the run once more,
 * with all calls of this function as blocks and everything else outside: then a block that can be
 * cut makes the run not atomic. If every order of these events is serializable, no order cuts it.
 * It is not said of a trace that ends early, nor where the analysis may miss something. */
#ifndef SERIATIM_HUNT_FORESEEN_FORESEE_H
#define SERIATIM_HUNT_FORESEEN_FORESEE_H

#include "predict/analysis.h"
#include "session/trace_input.h"

#include <jansson.h>

struct st_foresight {
    json_t *list;    /* the predictions: those that are certain first, then by engine and trace */
    json_t *blocks;  /* the names of all blocks of the trace */
    bool undecided;  /* an analysis did not come to an end */
    bool has_places; /* the trace knows where in the code things happened */
};

/* The trace must be open, and not read yet. `cut`: it does not have the whole run. The plan is for
 * each depth. Release the two lists. */
int st_foresee(struct st_trace_input *input, const struct st_predict_plan *plan, bool cut,
               struct st_foresight *foresight, struct st_error *error);

#endif
