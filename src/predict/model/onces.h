/* Which channels of a trace are of something that is done once: pthread_once, call_once, or a
 * static object of a C++ function.
 *
 * What is done once is done before anybody goes on, whoever does it. So given what each thread does
 * in this run, it is order that every schedule has, not only the one that was observed.
 *
 * A trace does not say what a channel is used for (docs/trace-format.md, "Channels"), but this has
 * a shape: there is one send, and the thread that sends receives, too, from the same line: just
 * behind the send (pthread_once returns to the initialiser as to all others), or, once and as the
 * first of all, before it (whoever is told to initialise a static object). Nobody else receives
 * before the send. A semaphore has other lines for its two sides. */
#ifndef SERIATIM_PREDICT_MODEL_ONCES_H
#define SERIATIM_PREDICT_MODEL_ONCES_H

#include "trace/event.h"

#include <stddef.h>

struct st_once_channel {
    uint32_t sender; /* thread plus 1; 0 before the send */
    uint32_t first;  /* the thread plus 1 that received before the send */
    uint64_t first_loc;
    bool fits;   /* the sender received as it should */
    bool broken; /* it is something else */
};

/* What a thread has just sent: the channel plus 1, or 0. */
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

/* All events of the trace, in order. */
void st_onces_event(struct st_onces *onces, const struct st_event *event);

/* To be asked at the end of the trace. */
bool st_is_once(const struct st_onces *onces, uint32_t channel);

#endif
