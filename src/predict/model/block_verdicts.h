/* From what an analysis says of units to what a prediction says of blocks. */
#ifndef SERIATIM_PREDICT_MODEL_BLOCK_VERDICTS_H
#define SERIATIM_PREDICT_MODEL_BLOCK_VERDICTS_H

#include "predict/model/model.h"

/* The event of a token of a unit, and of a token that is in no unit. */
struct st_place st_unit_place(const struct st_model *model, uint32_t unit, uint32_t token);
struct st_place st_token_place(const struct st_model *model, uint32_t thread, struct st_token what,
                               struct st_spot spot);

/* "R-W-R": the operations of the events; locks are "acq" and "rel". To be freed. */
char *st_places_pattern(const struct st_place *events, size_t count);

/* Fills in the pattern, the events and what else the analysis knows of a unit that it reports. */
typedef void st_explain(void *context, uint32_t unit, struct st_predicted_block *block);

/* Gives the prediction all blocks of the trace, and finishes it. verdicts[u] is what the analysis
 * says of unit u; `explain` is called at most once for each block that is listed. limit: how many
 * blocks to list at most, 0 for all; those with findings go first, and the names of blocks share
 * the places. */
void st_report_units(const struct st_model *model, const enum st_block_verdict *verdicts,
                     st_explain *explain, void *context, size_t limit,
                     struct st_prediction *prediction);

/* The same where the analysis distinguishes equal units: verdicts[i] is about
 * model->instances[i]. */
void st_report_instances(const struct st_model *model, const enum st_block_verdict *verdicts,
                         st_explain *explain, void *context, size_t limit,
                         struct st_prediction *prediction);

#endif
