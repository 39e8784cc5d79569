/* A schedule of a group from beginning to end. */
#ifndef SERIATIM_PREDICT_BLOCKS_EXACT_SCHEDULE_H
#define SERIATIM_PREDICT_BLOCKS_EXACT_SCHEDULE_H

#include "predict/blocks/exact/exact_groups.h"

struct st_schedule {
    struct st_move *moves;
    size_t count, capacity;
    bool complete; /* it has all steps of the group */
};

/* These moves, followed by the rest: one thread after another, each as far as it can go. */
struct st_schedule st_schedule_complete(const struct st_group *group, const struct st_move *moves,
                                        size_t count);
void st_schedule_free(struct st_schedule *schedule);

/* Is a complete schedule view-serializable? */
bool st_schedule_is_serializable(const struct st_group *group, const struct st_schedule *schedule);

/* ---- views (serial.c) ---- */

/* What some items saw in a schedule, or in a part of one. */
struct st_view {
    const uint32_t *items; /* ascending */
    size_t count;
    const size_t *starts, *ends; /* by lane: the range of steps of all these items */
    const uint32_t *sources;     /* by number of a read: the number of the write that it read from,
                                  * plus 1, or 0 if none of these items made it */
    const uint32_t *last;        /* by variable: the last write, in the same way */
};

/* Is there a serial schedule of these items with the same view? No item may be interrupted. */
bool st_view_is_serializable(const struct st_group *group, const struct st_view *view);

#endif
