/* The order that holds in every schedule: thread periods, as the events of a trace define them. */
#ifndef SERIATIM_PREDICT_MODEL_ORDER_H
#define SERIATIM_PREDICT_MODEL_ORDER_H

#include "predict/model/channel_uses.h"
#include "predict/model/handovers.h"
#include "predict/model/model.h"
#include "predict/model/periods.h"

/* A channel that imposes order. */
struct st_order_channel {
    struct st_message message;
    bool received; /* since the last send */
};

struct st_order {
    struct st_periods periods;
    enum st_model_order mode;
    const struct st_barriers *barriers; /* NULL: channels impose no order */
    const struct st_onces *onces;       /* the same */
    const struct st_handovers *handovers;
    struct st_order_channel *channels;
    size_t channel_capacity;
};

void st_order_init(struct st_order *order, enum st_model_order mode,
                   const struct st_barriers *barriers, const struct st_onces *onces,
                   const struct st_handovers *handovers);
void st_order_free(struct st_order *order);

/* Is it a fork, a join or a barrier operation? Those are outside all units. */
bool st_order_splits(const struct st_order *order, const struct st_event *event);

/* Does the channel impose order in every schedule, as far as it is one for it? */
bool st_order_is_certain(const struct st_order *order, uint32_t channel);

/* Does it, or do the options treat it as if it did? */
bool st_order_counts(const struct st_order *order, uint32_t channel);

/* Takes all events of the trace, in order. After each, st_periods_now gives the period of its
 * thread. */
void st_order_event(struct st_order *order, const struct st_event *event);

#endif
