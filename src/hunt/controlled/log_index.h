/* What leads from one point of a log to another, found once for all points and deviations: a long
 * run has so many of both that each cannot be looked for in all of the other. */
#ifndef SERIATIM_HUNT_CONTROLLED_LOG_INDEX_H
#define SERIATIM_HUNT_CONTROLLED_LOG_INDEX_H

#include "stream/control.h"

struct st_log_index {
    uint32_t *next; /* of a point: the next one of its thread; the number of points: none */
    uint32_t *stop; /* of a point: 1 + the first deviation that stopped its thread behind it, though
                       it could go on; 0: none. (A point is logged when it is passed, so the one
                       where the thread was stopped comes later, or never.) */
    uint32_t
        *before; /* of a deviation: the last point that its thread had passed; UINT32_MAX: none */
};

/* Expects a log from st_area_log, of whose threads the clocks rise. */
void st_log_index_make(struct st_log_index *index, const struct st_control_log *log);
void st_log_index_free(struct st_log_index *index);

#endif
