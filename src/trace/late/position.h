/* Where an event belongs that comes late.
 *
 * In a deferred recording (docs/recordings.md) an access may come after events of its thread that
 * it was made before, and a variable may turn out to be several. So each event of the file has a
 * word beside it, in place of a value (trace/values.h). It says whether the event comes on time,
 * and at which position in its thread it is: a number that grows along the events of a thread
 * (check/witness/witness.h). Positions are written as the difference to that of the thread's last
 * event on time, which is small. */
#ifndef SERIATIM_TRACE_LATE_POSITION_H
#define SERIATIM_TRACE_LATE_POSITION_H

#include "trace/values.h"

#include <stddef.h>
#include <stdint.h>

enum st_lateness {
    ST_ON_TIME, /* its place is where it stands */
    ST_LATE,    /* behind the last event on time of its thread that has no larger position */
    ST_WHOLE,   /* no event: its variable ... */
    ST_PART,    /* ... and this: of the next event, which was a part of that one until now */
    ST_MARK,    /* on time, but an event only if its thread has no other: that it has begun */
};

/* By thread: the position of its last event on time. All zero is the start. */
struct st_positions {
    uint64_t *last;
    size_t capacity;
};
void st_positions_free(struct st_positions *positions);

/* The word for an event that follows those of the calls before. */
struct st_access_value st_position_word(struct st_positions *positions, uint32_t thread,
                                        uint64_t at, enum st_lateness lateness);

/* And back: the position. */
uint64_t st_position_of(struct st_positions *positions, uint32_t thread,
                        const struct st_access_value *word, enum st_lateness *lateness);

#endif
