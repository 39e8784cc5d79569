/* The window of a block: the part of the trace in which a search reorders events.
 *
 * A schedule that violates the block starts with a part of the trace as observed, and then executes
 * of each thread at most the events up to `to`. Events after `to` may be left out, because a
 * schedule needs only what must happen before the accesses on its path, and the releases of locks
 * on the way.
 *
 * What is replayed as observed ("frozen") is the first `from` events of each thread, all among the
 * first `limit` of the trace. Freezing loses nothing when
 *  - no access of the path is frozen, and what must happen before a frozen event is frozen;
 *  - if a lock is held at the end of the frozen part, no other thread acquires it later in that
 *    part, and each acquire of it by another thread in the window must come after the one that
 *    holds it anyway;
 *  - for each read in the window whose couple is in the frozen part, the couple is the last write
 *    to the variable there, and each write to it in the window must come after that couple
 *    anyway.
 * If the trace has values, the frozen part is the first `limit` events of the trace. The last
 * condition is then about each frozen write that a read in the window could see: the last one to
 * the variable must leave the same value, or lie between the two anyway, and each write to it in
 * the window must leave the same value, or come after it anyway. */
#ifndef SERIATIM_PREDICT_TAS_WINDOW_H
#define SERIATIM_PREDICT_TAS_WINDOW_H

#include "predict/tas/segment.h"

/* By strand: from the first access that the block's accesses can reach through conflicts and thread
 * order, to the last from which they can be reached, ignoring locks. Empty if first > last. */
struct tas_reach {
    uint32_t first, last;
};

/* One for each worker, reused from block to block. */
struct tas_window {
    uint32_t limit;
    uint32_t *from; /* by strand: how many of its events are frozen */
    uint32_t *to;   /* by strand: the last position that may be executed */
    struct tas_reach *reach;

    /* By variable, for freezing: a frozen write that the window reads. Valid where the stamps
     * agree. */
    uint32_t *couples, *couple_stamps, stamp;
    bool thawed; /* while freezing: something had to be unfrozen */
};

void tas_window_init(struct tas_window *window, const struct st_tas_graph *graph);
void tas_window_free(struct tas_window *window);

/* Finds the window of a block from its segment. False if no other thread can be on a path: the
 * block is atomic. */
bool tas_window_find(struct tas_window *window, const struct st_tas_graph *graph,
                     const struct tas_segment *segment);

/* Takes the whole trace up to the last access of the block. */
void tas_window_whole(struct tas_window *window, const struct st_tas_graph *graph,
                      const struct tas_segment *segment);

/* Sets `limit` and `from`, given `to`. */
void tas_window_freeze(struct tas_window *window, const struct st_tas_graph *graph, uint32_t limit);

static inline bool tas_is_frozen(const struct tas_window *window, const struct st_tas_graph *graph,
                                 uint32_t event) {
    return graph->position[event] <= window->from[tas_strand_of(graph, event)];
}

/* Index + 1 of the last write to a shared variable in the frozen part, or 0. */
uint32_t tas_window_last_write(const struct tas_window *window, const struct st_tas_graph *graph,
                               uint32_t variable);

/* The acquire that holds the lock at the end of the frozen part, or TAS_NONE. */
uint32_t tas_window_holder(const struct tas_window *window, const struct st_tas_graph *graph,
                           uint32_t lock);

#endif
