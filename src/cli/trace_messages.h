/* What the user sees of a trace while it is read: a line of progress on a terminal when it takes
 * longer than a second, and warnings. */
#ifndef SERIATIM_CLI_TRACE_MESSAGES_H
#define SERIATIM_CLI_TRACE_MESSAGES_H

#include "session/trace_input.h"

/* Opens a trace, with progress unless `quiet`. */
int open_reading(struct st_reading *reading, const char *path, unsigned flags, bool quiet,
                 struct st_error *error);

/* No progress line from here on: it would mix with what is printed while reading. */
void hide_progress(struct st_reading *reading);

/* To be called when reading is over, before results or errors are printed. `good`: it went well,
 * so warns of what was repaired or is missing. */
void end_reading(struct st_reading *reading, bool good);

/* The same for a trace that is on its way to an analysis. Warns of lines of the specification that
 * do not apply. */
int open_trace_input(struct st_trace_input *input, struct st_trace_source source, bool quiet,
                     struct st_error *error);

/* st_trace_input_pass, with the warnings of end_reading after the first one. */
int pass_trace_input(struct st_trace_input *input, st_trace_input_feed *feed, void *context,
                     struct st_error *error);

/* A clean result is worth nothing when a misspelt specification leaves nothing to check. */
void warn_of_no_blocks(const struct st_trace_input *input);

#endif
