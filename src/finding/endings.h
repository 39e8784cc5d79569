/* Which block an end ends, in traces that do not say it: STD text allows an end without a name. */
#ifndef SERIATIM_FINDING_ENDINGS_H
#define SERIATIM_FINDING_ENDINGS_H

#include "trace/event.h"

#include <stddef.h>

/* The names of the blocks that a thread is in, the innermost last. */
struct st_open_names {
    uint32_t *items;
    size_t count, capacity;
};

/* Starts as zeros. */
struct st_endings {
    struct st_open_names *threads;
    size_t capacity;
};

void st_endings_free(struct st_endings *endings);

/* The next event of the trace. An end without a name gets that of its begin, if there is one. */
void st_endings_name(struct st_endings *endings, struct st_event *event);

#endif
