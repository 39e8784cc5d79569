/* The window of a block: the part of the trace in which a search moves events around.
 *
 * A schedule that violates the block starts with a part of the trace as observed, and then executes
 * of each thread no more than the events up to `to`. What may be left out behind `to`: a schedule
 * needs what must happen before the accesses on its path, and the releases of locks on the way.
 *
 * What is replayed as observed ("frozen") are, of each thread, the first `from` events, all among
 * the first `limit` of the trace. Nothing is lost by that when
 *  - no access of the path is frozen, and what must happen before a frozen event is frozen;
 *  - a lock that is held behind the frozen part is acquired by nobody else in it later, and each
 *    acquire of it by another thread in the window must come after the one that holds it anyway;
 *  - for each read in the window that has its couple in the frozen part, that is the last write of
 *    the variable there, and each write of it in the window must come after that couple anyway. */
#ifndef SERIATIM_PREDICT_TAS_WINDOW_H
#define SERIATIM_PREDICT_TAS_WINDOW_H

#include "predict/tas/segment.h"

/* By thread: between the first access that the block's can reach through conflicts and thread
 * order, and the last from which they can be reached, locks aside. Empty when first > last. */
struct tas_reach {
    uint32_t first, last;
};

/* For one worker; reused from block to block. */
struct tas_window {
    uint32_t limit;
    uint32_t *from; /* by thread: how many of its events are frozen */
    uint32_t *to;   /* by thread: the last position that may be executed */
    struct tas_reach *reach;

    /* By variable, for freezing: a frozen write that the window reads; valid where the stamps
     * agree. */
    uint32_t *couples, *couple_stamps, stamp;
    bool thawed; /* while freezing: something was frozen that must not be */
};

void tas_window_init(struct tas_window *window, const struct st_tas_graph *graph);
void tas_window_free(struct tas_window *window);

/* The window for a block by its segment. False when no other thread can be on a path: the block is
 * atomic. */
bool tas_window_find(struct tas_window *window, const struct st_tas_graph *graph,
                     const struct tas_segment *segment);

/* All of the trace up to the last access of the block. */
void tas_window_whole(struct tas_window *window, const struct st_tas_graph *graph,
                      const struct tas_segment *segment);

/* Sets `limit`, and `from` by what is in `to`. */
void tas_window_freeze(struct tas_window *window, const struct st_tas_graph *graph, uint32_t limit);

static inline bool tas_is_frozen(const struct tas_window *window, const struct st_tas_graph *graph,
                                 uint32_t event) {
    return graph->position[event] <= window->from[graph->events[event].thread];
}

/* The acquire by which the lock is held behind the frozen part, or TAS_NONE. */
uint32_t tas_window_holder(const struct tas_window *window, const struct st_tas_graph *graph,
                           uint32_t lock);

#endif
