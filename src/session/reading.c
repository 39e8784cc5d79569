#include "session/reading.h"

int st_reading_open(struct st_reading *reading, const char *path, unsigned flags,
                    const struct st_progress_hook *progress, struct st_error *error) {
    reading->progress = progress;
    reading->trace = st_trace_open(path, flags, error);
    return reading->trace ? 0 : -1;
}

void st_reading_stop(struct st_reading *reading) {
    if (reading->progress)
        reading->progress->stopped(reading->progress->context);
}

long st_reading_next(struct st_reading *reading, struct st_event **events, uint64_t *first,
                     struct st_error *error) {
    *first = st_trace_facts(reading->trace)->events + 1;
    long count = st_trace_next(reading->trace, events, error);
    if (count <= 0)
        st_reading_stop(reading);
    else if (reading->progress)
        reading->progress->advanced(reading->progress->context, reading->trace);
    return count;
}

void st_reading_close(struct st_reading *reading) {
    st_reading_stop(reading);
    st_trace_close(reading->trace);
    reading->trace = NULL;
}
