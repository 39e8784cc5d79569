/* Puts the events of a deferred recording at their places (late/position.h): what is written is a
 * trace like any other, in which each event stands where its thread made it.
 *
 * The file is read two or three times. First the late events are collected, and which variables
 * were divided; they are sorted by thread and position. If one of them belongs behind an event of
 * long ago, all learn the numbers of those that they stand behind. Then all are written: what is
 * late comes directly behind that event, and an access to a variable that was divided becomes one
 * to each of its parts. Memory is needed for the late events, in a temporary file, and for names.
 * docs/recordings.md says why the result is a trace in which the same blocks are violated as in a
 * complete one. */
#ifndef SERIATIM_TRACE_LATE_PLACING_H
#define SERIATIM_TRACE_LATE_PLACING_H

#include "trace/format.h"

#include <stdbool.h>
#include <stdio.h>

/* Does a trace that begins like this have events that are not at their places? */
enum { ST_LATE_HEAD = 16 };
bool st_is_late(const char *bytes, size_t length);

/* Reads the file from its start, and writes the trace: *events of them. It counts as truncated if
 * the file is. */
int st_late_place(int from, const char *from_name, FILE *to, const char *to_name, uint64_t *events,
                  struct st_error *error);

/* The input begins like such a trace: replaces it by one of the same name in which everything is at
 * its place. */
int st_late_place_input(struct st_input *input, struct st_error *error);

#endif
