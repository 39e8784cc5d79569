/* What the channels of a trace are used for.
 *
 * A trace does not say so (docs/trace-format.md, "Channels"), but barriers and one-time
 * initialisation have recognisable shapes. They impose the same order in every schedule, not only
 * in the observed one. */
#ifndef SERIATIM_PREDICT_MODEL_CHANNEL_USES_H
#define SERIATIM_PREDICT_MODEL_CHANNEL_USES_H

#include "trace/channels.h"
#include "trace/event.h"

#include <stddef.h>

/* ---- barriers ----
 *
 * Each thread's receive directly follows its send, with at most ends and begins of blocks in
 * between. The channel is used in rounds, and in each round at least two threads send before the
 * first of them receives.
 *
 * In a team, one thread alone can send, or receive. There the name says what the channel is
 * (trace/channels.h). */

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
    const struct st_channels *kinds; /* those of teams are barriers, however they are used; NULL:
                                      * nothing is known */
};

void st_barriers_init(struct st_barriers *barriers, const struct st_channels *kinds);
void st_barriers_free(struct st_barriers *barriers);

/* Takes all events of the trace, in order. */
void st_barriers_event(struct st_barriers *barriers, const struct st_event *event);

/* Valid only at the end of the trace. */
bool st_is_barrier(const struct st_barriers *barriers, uint32_t channel);

/* ---- one-time initialisation: pthread_once, call_once, or a static object of a C++ function ----
 *
 * The initialisation completes before any thread continues, whichever thread does it. There is one
 * send, and the thread that sends also receives, at the same source line. It receives just after
 * the send (pthread_once returns to the initialiser as to all others), or once before it, as the
 * first of all (the thread that is to initialise a static object). No other thread receives before
 * the send. The two sides of a semaphore are on different lines. */

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
