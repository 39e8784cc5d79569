/* How many blocks are inside each other in a trace? Where none is inside the blocks that were
 * judged, it takes no further look at the trace to know that. */
#ifndef SERIATIM_PREDICT_NESTING_H
#define SERIATIM_PREDICT_NESTING_H

#include "trace/event.h"

#include <stddef.h>

/* Starts as all zero. */
struct st_nesting {
    uint32_t *depths; /* by thread: blocks that it is in */
    size_t thread_capacity;
    uint32_t deepest; /* the most that a thread was in so far */
};

void st_nesting_feed(struct st_nesting *nesting, const struct st_event *events, size_t count);
void st_nesting_free(struct st_nesting *nesting);

#endif
