/* Turns an analysis's verdicts on units into a prediction's verdicts on blocks. */
#ifndef SERIATIM_PREDICT_MODEL_BLOCK_VERDICTS_H
#define SERIATIM_PREDICT_MODEL_BLOCK_VERDICTS_H

#include "predict/model/model.h"

/* The event of a token of a unit, and of a token that is in no unit. */
struct st_place st_unit_place(const struct st_model *model, uint32_t unit, uint32_t token);
struct st_place st_token_place(const struct st_model *model, uint32_t thread, struct st_token what,
                               struct st_spot spot);

/* "R-W-R": the operations of the events; locks are "acq" and "rel". The caller frees it. */
char *st_places_pattern(const struct st_place *events, size_t count);

/* Fills in the pattern, the events and whatever else the analysis knows about a unit that it
 * reports. */
typedef void st_explain(void *context, uint32_t unit, struct st_predicted_block *block);

/* The instances of the model in the order of their begins, those with the same one in their own
 * order. To be freed. */
uint32_t *st_instances_by_begin(const struct st_model *model);

/* Adds all blocks of the trace to the prediction, and finishes it. verdicts[u] is the verdict on
 * unit u. `explain` is called at most once for each listed block. limit: list at most this many
 * blocks, or all if 0. Blocks with findings go first, and the names of blocks share the places. */
void st_report_units(const struct st_model *model, const enum st_block_verdict *verdicts,
                     st_explain *explain, void *context, size_t limit,
                     struct st_prediction *prediction);

/* The same for an analysis that distinguishes equal units: verdicts[i] is about
 * model->instances[i]. */
void st_report_instances(const struct st_model *model, const enum st_block_verdict *verdicts,
                         st_explain *explain, void *context, size_t limit,
                         struct st_prediction *prediction);

/* How many outermost blocks of the trace are reported, and how many names they have; blocks without
 * a name have one together. `reported`: by unit. A block may have several instances: its parts. */
void st_count_reported(const struct st_model *model, const bool *reported, uint64_t *blocks,
                       uint64_t *names);

#endif
