/* Reads a trace from start to end, and reports progress. */
#ifndef SERIATIM_SESSION_READING_H
#define SERIATIM_SESSION_READING_H

#include "trace/trace.h"

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

#endif
