/* What goes to the terminal: errors, warnings, help. */
#ifndef SERIATIM_CLI_MESSAGES_H
#define SERIATIM_CLI_MESSAGES_H

#include "base/error.h"
#include "cli/command.h"
#include "session/trace_input.h"
#include "watch/watch.h"

/* Print one line on standard error: "seriatim: ..." and "seriatim: warning: ...". */
enum status complain(const struct st_error *error);
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From now on nothing is printed, and messages are kept: for a rank that works for another, and for
 * work whose messages must come in an order. */
void hold_messages(void);
/* What was kept since it was asked last, each in a line, for free(). */
char *take_messages(void);
/* Prints what was kept elsewhere, and prints again what comes. */
void release_messages(void);
void print_messages(const char *lines);

/* What was complained of last; NULL: nothing. */
const char *last_complaint(void);

/* Writes a help text or the like to standard output. */
enum status show(void (*write)(FILE *file, const void *context), const void *context);

/* Should what goes to this file descriptor be in color? `color` is an enum color. */
bool use_color(unsigned color, int fd);

/* ---- traces that are read ---- */

/* Opens a trace, with progress unless `quiet`. */
int open_reading(struct st_reading *reading, const char *path, unsigned flags, bool quiet,
                 struct st_error *error);

/* Shows no progress from here on: it would mix with what is printed while reading. */
void hide_progress(struct st_reading *reading);

/* Call this when reading is over, before printing results or errors. If `good`, reading succeeded,
 * and this warns about what was repaired or is missing. */
void end_reading(struct st_reading *reading, bool good);

/* The same warnings, for a trace that is read several times: only after the first one. */
void warn_once_of_trace(const struct st_trace *trace);

/* The same for a trace that will be analysed. Warns about lines of the specification that do not
 * apply. */
int open_trace_input(struct st_trace_input *input, struct st_trace_source source, bool quiet,
                     struct st_error *error);

/* st_trace_input_pass, with the warnings of end_reading after the first one. */
int pass_trace_input(struct st_trace_input *input, st_trace_input_feed *feed, void *context,
                     struct st_error *error);

/* Warns if the specification, probably misspelt, leaves nothing to check. */
void warn_of_no_blocks(const struct st_trace_input *input);

/* ---- programs that were watched ---- */

/* Shows on a terminal that we are so many records behind a program that has ended; 0 clears that.
 * For st_watch_hooks. `quiet` points to a bool: then nothing is shown. */
void show_behind(const void *quiet, uint64_t records, double rate);

/* Shows a line on standard error, if that is a terminal, in the place of the one before; NULL
 * clears it. */
void show_status_line(const char *line);

/* Warns about lines of a specification that mean something for traces only. NULL is none. */
void warn_of_elements(const struct st_spec *spec, const char *path);

/* Warns about what was not seen: a program without our runtime, missing events. */
void warn_of_watch(const struct st_watch *watch, const char *program);

/* The program's own status, unless it is success; then trouble if nothing of the program was seen,
 * and `found` otherwise. */
enum status watch_status(const struct st_watch *watch, int found);

/* "s", unless there is exactly one. */
const char *plural(uint64_t count);

#endif
