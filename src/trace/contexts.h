/* What is known of the places where events happened, beyond their lines: the function, the calls
 * that led there, and the locks that the thread held. Traces of programs have it, in an outline:
 * the calls since the begin of the innermost open block, since those before it are the block's, and
 * no locks, since they follow from the events. trace/replay.h makes it whole again.
 *
 * All of it is in rows that refer to each other by numbers, and equal ones are one row: a frame and
 * its callers are a stack, a lock and those acquired before it a set. Frames and sets are numbered
 * from 1, with 0 for none; sites from 0. */
#ifndef SERIATIM_TRACE_CONTEXTS_H
#define SERIATIM_TRACE_CONTEXTS_H

#include "base/names.h"

#include <stdbool.h>

struct st_frame_row {
    uint32_t function, line; /* names */
    uint32_t caller;         /* the frame around it, added before */
};

struct st_held_row {
    uint32_t lock; /* number */
    uint32_t rest; /* those acquired before it, added before */
};

struct st_site_row {
    uint32_t line; /* name */
    uint32_t frame;
    uint32_t call; /* the frame that the function was called from: it is in the stack of `frame` */
    uint32_t held;
};

/* Invariant: what a row refers to is there. When contexts are `kept`, each location name of the
 * trace is a site: location i is site i, and its name is that of the site's line. */
struct st_contexts {
    bool kept;
    struct st_names functions, lines;
    struct st_frame_row *frames;
    struct st_held_row *held;
    struct st_site_row *sites;
    size_t frame_count, frame_capacity, held_count, held_capacity, site_count, site_capacity;
};

void st_contexts_init(struct st_contexts *contexts);
void st_contexts_free(struct st_contexts *contexts);
size_t st_contexts_memory(const struct st_contexts *contexts);

/* These return the number of the new row. */
uint32_t st_contexts_frame(struct st_contexts *contexts, struct st_frame_row row);
uint32_t st_contexts_held(struct st_contexts *contexts, struct st_held_row row);

#endif
