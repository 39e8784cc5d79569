/* A recording in which accesses are deferred: what comes from the program is written in that order,
 * with the position of each event, and put in its places when the program has ended (trace/late).
 */
#ifndef SERIATIM_TRACE_LATE_LATE_EVENTS_H
#define SERIATIM_TRACE_LATE_LATE_EVENTS_H

#include "trace/event.h"
#include "trace/late/position.h"

#include <stddef.h>

/* Events as they are written. All zero is the start. */
struct st_late_events {
    struct st_positions positions;
    struct st_event *events;
    struct st_access_value *words; /* one for each */
    size_t count, event_capacity, word_capacity;
};

/* Makes them from events of a translator and their positions: deferred accesses become accesses,
 * and where a variable was divided there are two reads. Valid until the next call. */
void st_late_events_take(struct st_late_events *late, const struct st_event *events,
                         const uint64_t *at, size_t count);
void st_late_events_free(struct st_late_events *late);

#endif
