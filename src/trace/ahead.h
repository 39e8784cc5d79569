/* Reading ahead: a thread of its own takes batches from a reader while earlier ones are analysed.
 *
 * Reading text costs about as much as analysing it, so a second processor saves much of the time.
 * Only the reading thread touches the reader, its input and its symbols while it runs; a batch says
 * how many threads and locks were known when it was made, which is all that the analysis needs. */
#ifndef SERIATIM_TRACE_AHEAD_H
#define SERIATIM_TRACE_AHEAD_H

#include "trace/format.h"

/* A batch of 256 KiB stays in the second-level cache beside an engine's own data. One of 64 KiB
 * costs up to 6 % more: the clock of the thread is read twice for each, by a system call. */
enum { ST_BATCH_EVENTS = 16384 };

struct st_batch {
    long count; /* as st_format.next returns it; with -1, `error` is filled */
    uint32_t threads, locks;
    uint64_t consumed; /* bytes of the input, up to and including this batch */
    struct st_error error;
    struct st_variable_run *ended; /* lives that ended before the first of them */
    size_t ended_count, ended_capacity;
    bool has_values;
    struct st_access_value *values; /* one for each event, if it has any */
    size_t value_capacity;
    struct st_event events[ST_BATCH_EVENTS];
};

/* Takes one batch from the reader in the calling thread. */
void st_batch_read(struct st_batch *batch, const struct st_format *format, void *reader,
                   const struct st_input *input, const struct st_symbols *symbols);

void st_batch_free(struct st_batch *batch);

struct st_ahead;

/* Starts reading ahead. NULL if no thread can be started, or if there is no other processor for it;
 * then read in the calling thread. */
struct st_ahead *st_ahead_start(const struct st_format *format, void *reader,
                                const struct st_input *input, const struct st_symbols *symbols);

/* The next batch, valid until the next call. Must not be called again after one with count <= 0. */
struct st_batch *st_ahead_next(struct st_ahead *ahead);

/* Ends the thread, even if it waits for input, and frees the batches. The caller then owns the
 * reader again, but must not read more from it. NULL is fine. */
void st_ahead_stop(struct st_ahead *ahead);

#endif
