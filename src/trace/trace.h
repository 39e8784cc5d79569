/* A trace as its users see it: opened by path, any format, validated, in batches.
 *
 *     struct st_trace *trace = st_trace_open(path, 0, &error);
 *     while ((count = st_trace_next(trace, &events, &error)) > 0)
 *         ... events[0] is event number st_trace_facts(trace)->events - count + 1 ...
 *     st_trace_close(trace);
 */
#ifndef SERIATIM_TRACE_TRACE_H
#define SERIATIM_TRACE_TRACE_H

#include "base/error.h"
#include "trace/symbols.h"
#include "trace/validate.h"
#include "trace/values.h"

struct st_trace;

enum st_trace_flags {
    ST_TRACE_REPAIR = 1, /* malformed order: drop the event and count, instead of an error */
    ST_TRACE_AHEAD = 2,  /* read long traces in a thread of their own; see st_trace_symbols */
    ST_TRACE_LIVES = 4,  /* the caller looks at st_trace_ended; otherwise each variable has its own
                            number for ever, and memory grows with every life */
    ST_TRACE_PACKED = 8, /* the names of variables of a native trace are packed (trace/symbols.h) */
    ST_TRACE_VALUES = 16, /* the caller looks at st_trace_values */
};

/* NULL with an error. The path must outlive the trace. "-" is standard input. */
struct st_trace *st_trace_open(const char *path, unsigned flags, struct st_error *error);
void st_trace_close(struct st_trace *trace);

/* The next events, in memory that is valid until the next call. 0 at the end, -1 with an error.
 * An input without any event is an error. */
long st_trace_next(struct st_trace *trace, struct st_event **events, struct st_error *error);

/* With ST_TRACE_LIVES: the variables whose lives ended before the first event of the batch. These
 * numbers stand for other variables of the same names from there on. Valid like the events. */
const struct st_variable_run *st_trace_ended(const struct st_trace *trace, size_t *count);

/* With ST_TRACE_VALUES: one for each event of the batch, or NULL if none is known. Valid like the
 * events. */
const struct st_access_value *st_trace_values(const struct st_trace *trace);

/* With ST_TRACE_AHEAD the symbols grow while batches are used: look at them only at the end of the
 * trace, that is, after st_trace_next returned 0. */
const struct st_symbols *st_trace_symbols(const struct st_trace *trace);

/* Nobody will ask for the names of variables below this number. They must not be packed, and the
 * trace not be read ahead. */
void st_trace_drop_names(struct st_trace *trace, uint32_t first);

/* What the channels are for. Those of the events so far may be looked up at any time. */
const struct st_channels *st_trace_channels(const struct st_trace *trace);

/* Is it what `record` wrote of a program? Such a trace has contexts (trace/symbols.h). */
bool st_trace_is_recording(const struct st_trace *trace);

const struct st_facts *st_trace_facts(const struct st_trace *trace);
const struct st_repairs *st_trace_repairs(const struct st_trace *trace);
const char *st_trace_format(const struct st_trace *trace); /* "std" or "native" */
const char *st_trace_name(const struct st_trace *trace);   /* for messages */
bool st_trace_is_text(const struct st_trace *trace);       /* event n stands on line n */

/* The file is truncated: what was read is whole chunks, but not all that was recorded. */
bool st_trace_truncated(const struct st_trace *trace);

/* Bytes read and bytes in all (0 when unknown), for progress. */
void st_trace_progress(const struct st_trace *trace, uint64_t *done, uint64_t *total);

#endif
