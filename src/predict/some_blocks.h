/* A trace with some of its blocks only: the marks of the others are taken away. Analyses judge
 * outermost blocks; this makes others the outermost ones. */
#ifndef SERIATIM_PREDICT_SOME_BLOCKS_H
#define SERIATIM_PREDICT_SOME_BLOCKS_H

#include "trace/event.h"

#include <stdbool.h>
#include <stddef.h>

/* Which blocks stay. All zero: all of them. */
struct st_blocks_wanted {
    unsigned below;                                        /* those inside so many others */
    bool (*is_wanted)(const void *context, uint32_t name); /* NULL: with any name */
    const void *context;
};

struct st_some_blocks {
    struct st_blocks_wanted wanted;
    struct st_thread_blocks *threads;
    size_t thread_capacity;
    struct st_event *batch;
    size_t batch_capacity;
    uint64_t begun; /* blocks that stay */
};

/* The next events of the trace, with their marks or without. Valid until the next call. */
const struct st_event *st_some_blocks_of(struct st_some_blocks *some, const struct st_event *events,
                                         size_t count);

/* The trace begins again. */
void st_some_blocks_restart(struct st_some_blocks *some);
void st_some_blocks_free(struct st_some_blocks *some);

/* Takes away the marks of the outermost blocks. Returns how many blocks are left. */
uint64_t st_unmark_outermost(struct st_event *events, size_t count);

#endif
