/* Which channels of a trace are barriers.
 *
 * A trace does not say what a channel is used for (docs/trace-format.md, "Channels"), but a barrier
 * has a recognisable shape. Each thread's receive directly follows its send, with at most ends and
 * begins of blocks in between. The channel is used in rounds, and in each round at least two
 * threads send before the first of them receives. */
#ifndef SERIATIM_PREDICT_MODEL_BARRIERS_H
#define SERIATIM_PREDICT_MODEL_BARRIERS_H

#include "trace/event.h"

#include <stddef.h>

struct st_barrier_channel {
    uint32_t *senders; /* threads that sent in this round; those that also received come first */
    size_t sent, received, capacity;
    bool used, broken; /* broken: it is not a barrier */
};

struct st_barriers {
    struct st_barrier_channel *channels;
    size_t count, capacity; /* channels seen so far have numbers below `count` */
    uint32_t *waiting;      /* by thread: the channel that it just sent to, plus 1 */
    size_t waiting_capacity;
};

void st_barriers_init(struct st_barriers *barriers);
void st_barriers_free(struct st_barriers *barriers);

/* Takes all events of the trace, in order. */
void st_barriers_event(struct st_barriers *barriers, const struct st_event *event);

/* Valid only at the end of the trace. */
bool st_is_barrier(const struct st_barriers *barriers, uint32_t channel);

#endif
