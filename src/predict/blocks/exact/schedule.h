/* A schedule of a group from its begin to its end. */
#ifndef SERIATIM_PREDICT_BLOCKS_EXACT_SCHEDULE_H
#define SERIATIM_PREDICT_BLOCKS_EXACT_SCHEDULE_H

#include "predict/blocks/exact/exact_groups.h"

struct st_schedule {
    struct st_move *moves;
    size_t count, capacity;
    bool complete; /* all steps of the group are in it */
};

/* These moves and then, one thread after the other as far as it goes, the rest. */
struct st_schedule st_schedule_complete(const struct st_group *group, const struct st_move *moves,
                                        size_t count);
void st_schedule_free(struct st_schedule *schedule);

/* Is a complete schedule view-serializable? */
bool st_schedule_is_serializable(const struct st_group *group, const struct st_schedule *schedule);

/* ---- views (serial.c) ---- */

/* What was seen of some items in a schedule, or in a part of one. */
struct st_view {
    const uint32_t *items; /* ascending */
    size_t count;
    const size_t *starts, *ends; /* by lane: the steps that the items have, all together */
    const uint32_t *sources;     /* by number of a read: the write that it read from, as a number
                                  * plus 1, or 0 if that was by none of these items */
    const uint32_t *last;        /* by variable: the last write, likewise */
};

/* Is there a serial schedule of these items with the same view? No item may be interrupted. */
bool st_view_is_serializable(const struct st_group *group, const struct st_view *view);

#endif
