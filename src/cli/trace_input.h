/* A trace on its way to an analysis: read with progress, blocks chosen by a specification, contexts
 * made whole; and what a report needs to know of it afterwards. */
#ifndef SERIATIM_CLI_TRACE_INPUT_H
#define SERIATIM_CLI_TRACE_INPUT_H

#include "cli/shared.h"
#include "report/context_details.h"
#include "spec/select.h"
#include "trace/replay.h"

struct trace_input {
    const char *command; /* for messages */
    const char *path, *spec_path;
    unsigned flags; /* enum st_trace_flags */
    bool quiet;
    struct reading reading; /* of the first pass; its trace has the symbols and the facts */
    struct st_spec *spec;   /* NULL: every block of the trace counts */
    struct st_selection *selection;
    struct st_replay *replay;  /* NULL: the trace has no contexts */
    struct st_symbols symbols; /* of the report; see trace_input_words */
    bool has_words;
    struct st_event *kept; /* all events, if they are to be read again and are not too many */
    size_t kept_count, kept_capacity;
    bool keeps, was_read;
};

/* `again`: the trace will be read more than once. On -1 there is nothing to be closed. */
int trace_input_open(struct trace_input *input, const char *command, const char *path,
                     const char *spec, unsigned flags, bool again, bool quiet,
                     struct st_error *error);
void trace_input_close(struct trace_input *input);

/* The next events of the first pass: 0 at the end, -1 with an error. To be followed by
 * reading_end(&input->reading, ...), since a caller may stop before the end. */
long trace_input_next(struct trace_input *input, struct st_event **events, uint64_t *first,
                      struct st_error *error);

/* Feeds all events, for the first time or once more. */
typedef void trace_input_feed(void *context, const struct st_event *events, size_t count,
                              uint64_t first);
int trace_input_pass(struct trace_input *input, trace_input_feed *feed, void *context,
                     struct st_error *error);

/* Is it a file that can be read once more? */
bool trace_input_is_file(const struct trace_input *input);

/* The facts of the trace; of its blocks only those that count. */
struct st_facts trace_input_facts(const struct trace_input *input);

/* With contexts, a report has locations of its own, those that it speaks of. To be called before
 * trace_input_word, which gives the location in input->symbols for one of an event. */
void trace_input_words(struct trace_input *input);
uint64_t trace_input_word(void *input, uint64_t loc);

/* When the trace was written, if a program was recorded in it: what ran is older. */
time_t trace_input_recorded(const struct trace_input *input);

/* A clean result is worth nothing when a misspelt specification leaves nothing to check. */
void trace_input_warn_of_no_blocks(const struct trace_input *input);

#endif
