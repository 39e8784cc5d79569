/* Predictions, as foresee.h describes them, put together from what analyses found. */
#ifndef SERIATIM_HUNT_FORESEEN_FORESEEN_LIST_H
#define SERIATIM_HUNT_FORESEEN_FORESEEN_LIST_H

#include "finding/prediction.h"
#include "report/context_details.h"
#include "session/trace_input.h"

#include <jansson.h>

struct st_foreseen_list {
    const struct st_symbols *symbols; /* of the input, for reports */
    const struct st_names *threads;   /* as the trace calls them */
    struct st_context_details contexts;
    struct st_details details;
    bool has_contexts;
    json_t *list;
    bool undecided; /* something timed out */
};

/* The input must outlive it. */
void st_foreseen_init(struct st_foreseen_list *list, const struct st_trace_input *input);

/* Gives the predictions away. */
json_t *st_foreseen_finish(struct st_foreseen_list *list);

/* Adds what is reported, with locations of the symbols. `depth` is that of the blocks; deadlocks
 * are taken at depth 0. False: no block was reported. */
bool st_foreseen_add(struct st_foreseen_list *list, const struct st_predictions *predictions,
                     unsigned depth);

/* Sets "entry" of steps that are in critical sections: where the outermost of these was entered.
 * Reads the trace once more. */
int st_foreseen_find_entries(struct st_foreseen_list *list, struct st_trace_input *input,
                             struct st_error *error);

/* The names of blocks of which all predictions are potential. Release it. */
json_t *st_foreseen_unproved(const struct st_foreseen_list *list);

/* Nothing cuts blocks with this name. */
void st_foreseen_refute(struct st_foreseen_list *list, const char *name);

#endif
