/* The window of a block: the part of the trace in which a search moves events around.
 *
 * A schedule that violates the block starts with the first events of the trace as observed
 * (`frozen` of them), and then executes of each thread no more than the events up to `to`. What may
 * be left out behind `to`: a schedule needs what must happen before the accesses on its path, and
 * the releases of locks on the way. What may be replayed: as long as no access of the path is among
 * the first events, nothing is lost when for each lock held then and each later acquire of it by
 * another thread in the window, the one that holds it must come first anyway; and when for each
 * read in the window that has its couple among the first events, each write of the variable in the
 * window must come after that couple anyway. */
#ifndef SERIATIM_PREDICT_TAS_WINDOW_H
#define SERIATIM_PREDICT_TAS_WINDOW_H

#include "predict/tas_segment.h"

/* By thread: between the first access that the block's can reach through conflicts and thread
 * order, and the last from which they can be reached, locks aside. Empty when first > last. */
struct tas_reach {
    uint32_t first, last;
};

/* For one worker; reused from block to block. */
struct tas_window {
    uint32_t frozen;
    uint32_t *from; /* by thread: how many of its events are among the frozen */
    uint32_t *to;   /* by thread: the last position that may be executed */
    struct tas_reach *reach;

    /* By variable and by lock, for freezing; valid where the stamps agree. */
    uint32_t *couples, *couple_stamps;
    uint32_t *holders, *holder_stamps;
    uint32_t stamp;
};

void tas_window_init(struct tas_window *window, const struct st_tas *tas);
void tas_window_free(struct tas_window *window);

/* The window for a block by its segment. False when no other thread can be on a path: the block is
 * atomic. */
bool tas_window_find(struct tas_window *window, const struct st_tas *tas,
                     const struct tas_segment *segment);

/* All of the trace up to the last access of the block. */
void tas_window_whole(struct tas_window *window, const struct st_tas *tas,
                      const struct tas_segment *segment);

/* Adds to `to` what must happen before the event, and the event. With `free` it is a read that may
 * see anything. */
void tas_window_add(struct tas_window *window, const struct st_tas *tas, uint32_t event, bool free);

/* Adds releases to `to`, in threads other than `thread`, until no lock is held that could be
 * released before position lower[t] of its thread t. */
void tas_window_add_releases(struct tas_window *window, const struct st_tas *tas, uint32_t thread,
                             const uint32_t *lower);

/* Sets `frozen`, at most `limit`, and `from`, by what is in `to`. */
void tas_window_freeze(struct tas_window *window, const struct st_tas *tas, uint32_t limit);

#endif
