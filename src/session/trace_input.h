/* Prepares a trace for an analysis: selects blocks by a specification, completes contexts, and
 * keeps what a report needs to know about the trace afterwards. */
#ifndef SERIATIM_SESSION_TRACE_INPUT_H
#define SERIATIM_SESSION_TRACE_INPUT_H

#include "spec/select.h"
#include "trace/context_tracker.h"
#include "trace/relation.h"
#include "trace/trace.h"

#include <time.h>

/* ---- reading ---- */

/* Called as reading makes progress. */
struct st_progress_hook {
    void (*advanced)(void *context, const struct st_trace *trace); /* after each batch of events */
    void (*stopped)(void *context); /* at the end, after an error, and when reading stops early */
    void *context;
};

struct st_reading {
    struct st_trace *trace;
    const struct st_progress_hook *progress; /* or NULL */
};

/* The path and the hook must outlive the reading. On -1 there is nothing to close. */
int st_reading_open(struct st_reading *reading, const char *path, unsigned flags,
                    const struct st_progress_hook *progress, struct st_error *error);
void st_reading_close(struct st_reading *reading);

/* Like st_trace_next. *first becomes the number of the first event. */
long st_reading_next(struct st_reading *reading, struct st_event **events, uint64_t *first,
                     struct st_error *error);

/* Stops reading, even if there are more events. */
void st_reading_stop(struct st_reading *reading);

/* ---- on the way to an analysis ---- */

/* Where a trace comes from. All of it must outlive the input. */
struct st_trace_source {
    const char *command; /* for errors that concern no file */
    const char *path;
    const char *spec;      /* a file that says which blocks count; NULL: all do */
    const char *spec_text; /* or what such a file would say, if that is not NULL */
    unsigned flags;        /* enum st_trace_flags */
    bool again;            /* the trace will be read more than once */
    bool no_starts;        /* what threads start with does not count */
    const struct st_progress_hook *progress;     /* or NULL */
    void (*ended)(const struct st_trace *trace); /* when it was read to its end; or NULL */
};

struct st_trace_input {
    struct st_trace_source source;
    struct st_reading reading; /* of the first pass; its trace has the symbols and the facts */
    struct st_spec *spec;      /* NULL: every block of the trace counts */
    struct st_selection *selection;
    struct st_sections *sections;       /* NULL: critical sections are no blocks */
    struct st_context_tracker *tracker; /* NULL: the trace has no contexts */
    struct st_symbols symbols;          /* for the report; see st_trace_input_symbols */
    bool has_symbols;
    struct st_event *kept; /* all events, if they will be read again and there are not too many */
    size_t kept_count, kept_capacity;
    bool keeps, was_read;
    struct st_value_list values; /* with ST_TRACE_VALUES, after the first pass */
};

/* On -1 there is nothing to close. */
int st_trace_input_open(struct st_trace_input *input, const struct st_trace_source *source,
                        struct st_error *error);
void st_trace_input_close(struct st_trace_input *input);

/* The next events of the first pass: 0 at the end, -1 with an error. A caller that stops before the
 * end calls st_reading_stop. */
long st_trace_input_next(struct st_trace_input *input, struct st_event **events, uint64_t *first,
                         struct st_error *error);

/* Feeds all events, for the first time or again. */
typedef void st_trace_input_feed(void *context, const struct st_event *events, size_t count,
                                 uint64_t first);
int st_trace_input_pass(struct st_trace_input *input, st_trace_input_feed *feed, void *context,
                        struct st_error *error);

/* Is it a file that can be read again? */
bool st_trace_input_is_file(const struct st_trace_input *input);

/* How many events were read, with the begins and ends of critical sections that are blocks: those
 * are numbered, too. */
uint64_t st_trace_input_events(const struct st_trace_input *input);

/* The facts of the trace, with only the blocks that count. */
struct st_facts st_trace_input_facts(const struct st_trace_input *input);

/* The symbols for a report. If the trace has contexts, a report has its own locations, those that
 * its findings mention: st_trace_input_location adds that of an event and returns it. Call
 * st_trace_input_symbols once, after all events were read. */
const struct st_symbols *st_trace_input_symbols(struct st_trace_input *input);
uint64_t st_trace_input_location(void *input, uint64_t loc);

/* When the trace was written, if it is a recording; the program was built before that. 0 if not
 * known. */
time_t st_trace_input_recorded(const struct st_trace_input *input);

/* What messages call the specification. */
const char *st_trace_input_spec_name(const struct st_trace_input *input);

/* Does the trace have blocks, but none that the specification calls atomic? Then the specification
 * is probably misspelt, and a clean result means nothing. */
bool st_trace_input_selects_nothing(const struct st_trace_input *input);

#endif
