/* Which channels of a trace belong to one-time initialisation: pthread_once, call_once, or a static
 * object of a C++ function.
 *
 * The initialisation completes before any thread continues, whichever thread does it. So, given
 * what each thread does in this run, its order holds in every schedule, not only in the observed
 * one.
 *
 * A trace does not say what a channel is used for (docs/trace-format.md, "Channels"), but this use
 * has a recognisable shape. There is one send, and the thread that sends also receives, at the same
 * source line. It receives just after the send (pthread_once returns to the initialiser as to all
 * others), or once before it, as the first of all (the thread that is to initialise a static
 * object). No other thread receives before the send. The two sides of a semaphore are on different
 * lines. */
#ifndef SERIATIM_PREDICT_MODEL_ONCES_H
#define SERIATIM_PREDICT_MODEL_ONCES_H

#include "trace/event.h"

#include <stddef.h>

struct st_once_channel {
    uint32_t sender; /* thread plus 1; 0 before the send */
    uint32_t first;  /* plus 1: the thread that received before the send */
    uint64_t first_loc;
    bool fits;   /* the sender received as described above */
    bool broken; /* it is something else */
};

/* The channel, plus 1, that a thread has just sent to, or 0. */
struct st_once_thread {
    uint32_t sent;
    uint64_t loc;
};

struct st_onces {
    struct st_once_channel *channels;
    size_t count, capacity;
    struct st_once_thread *threads;
    size_t thread_capacity;
};

void st_onces_init(struct st_onces *onces);
void st_onces_free(struct st_onces *onces);

/* Takes all events of the trace, in order. */
void st_onces_event(struct st_onces *onces, const struct st_event *event);

/* Valid only at the end of the trace. */
bool st_is_once(const struct st_onces *onces, uint32_t channel);

#endif
