/* A run as the analyses of Wang and Stoller see it (TSE 2006; PPoPP 2006): units of events, which
 * other schedules may interleave in any way that locks, fork, join and barriers allow.
 *
 * The trace is fed as often as the model asks for it:
 *
 *     struct st_model *model = st_model_new(ST_MODEL_BARRIERS);
 *     while (st_model_wants_pass(model)) {
 *         ... st_model_feed(model, events, count, first) for all batches of the trace ...
 *         st_model_end_pass(model);
 *     }
 *
 * Read-only from then on, and so for any number of threads at once. */
#ifndef SERIATIM_PREDICT_MODEL_H
#define SERIATIM_PREDICT_MODEL_H

#include "finding/prediction.h"

struct st_model;

/* Which order holds in every schedule, beyond fork and join. */
enum st_model_order {
    ST_MODEL_BARRIERS, /* that of barriers, as in the papers */
    ST_MODEL_ALL       /* that of all channels as it was observed */
};

struct st_model *st_model_new(enum st_model_order order);
void st_model_free(struct st_model *model);

bool st_model_wants_pass(const struct st_model *model);
void st_model_feed(struct st_model *model, const struct st_event *events, size_t count,
                   uint64_t first);
void st_model_end_pass(struct st_model *model);

size_t st_model_memory(const struct st_model *model);

#endif
