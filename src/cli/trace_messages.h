/* What the user sees while a trace is read: warnings and, on a terminal, a progress line if it
 * takes longer than a second. */
#ifndef SERIATIM_CLI_TRACE_MESSAGES_H
#define SERIATIM_CLI_TRACE_MESSAGES_H

#include "session/trace_input.h"

/* Opens a trace, with progress unless `quiet`. */
int open_reading(struct st_reading *reading, const char *path, unsigned flags, bool quiet,
                 struct st_error *error);

/* Shows no progress from here on: it would mix with what is printed while reading. */
void hide_progress(struct st_reading *reading);

/* Call this when reading is over, before printing results or errors. If `good`, reading succeeded,
 * and this warns about what was repaired or is missing. */
void end_reading(struct st_reading *reading, bool good);

/* The same for a trace that will be analysed. Warns about lines of the specification that do not
 * apply. */
int open_trace_input(struct st_trace_input *input, struct st_trace_source source, bool quiet,
                     struct st_error *error);

/* st_trace_input_pass, with the warnings of end_reading after the first one. */
int pass_trace_input(struct st_trace_input *input, st_trace_input_feed *feed, void *context,
                     struct st_error *error);

/* Warns if the specification, probably misspelt, leaves nothing to check. */
void warn_of_no_blocks(const struct st_trace_input *input);

#endif
