/* A schedule of a group from its begin to its end. */
#ifndef SERIATIM_PREDICT_BLOCKS_EXACT_SCHEDULE_H
#define SERIATIM_PREDICT_BLOCKS_EXACT_SCHEDULE_H

#include "predict/blocks/exact/schedule_search.h"

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

#endif
