#include "trace/trace.h"

#include "base/memory.h"
#include "trace/format.h"

#include <stdlib.h>

/* A batch of 64 KiB stays in the second-level cache beside an engine's own data. */
enum { BATCH = 4096 };

struct st_trace {
    struct st_input input;
    struct st_symbols symbols;
    const struct st_format *format;
    void *reader;
    struct st_validator *validator;
    struct st_event events[BATCH];
};

/* Finds the format from the first bytes and opens its reader. */
static int open_reader(struct st_trace *trace, struct st_error *error) {
    struct st_input *input = &trace->input;
    if (st_input_fill(input, ST_NATIVE_MAGIC_SIZE, error) < 0)
        return -1;
    if (!st_input_available(input))
        return st_fail(error, input->name, ST_AT_FILE, 0, "is empty, not a trace");
    bool native = st_native_detect(st_input_bytes(input), st_input_available(input));
    trace->format = native ? &st_native_format : &st_std_format;
    trace->reader = trace->format->open(input, &trace->symbols, error);
    return trace->reader ? 0 : -1;
}

struct st_trace *st_trace_open(const char *path, unsigned flags, struct st_error *error) {
    struct st_trace *trace = st_alloc(1, sizeof *trace);
    if (st_input_open(&trace->input, path, error) < 0) {
        free(trace);
        return NULL;
    }
    st_symbols_init(&trace->symbols);
    trace->validator = st_validator_new(flags & ST_TRACE_REPAIR);
    if (open_reader(trace, error) < 0) {
        st_trace_close(trace);
        return NULL;
    }
    return trace;
}

void st_trace_close(struct st_trace *trace) {
    if (!trace)
        return;
    if (trace->reader)
        trace->format->close(trace->reader);
    st_validator_free(trace->validator);
    st_symbols_free(&trace->symbols);
    st_input_close(&trace->input);
    free(trace);
}

/* A validation error knows the event only; say where that is. */
static long place_error(const struct st_trace *trace, struct st_error *error) {
    enum st_position_kind at = st_trace_is_text(trace) ? ST_AT_LINE : ST_AT_EVENT;
    char cause[sizeof error->cause];
    memcpy(cause, error->cause, sizeof cause);
    return st_fail(error, trace->input.name, at, error->position, "%s", cause);
}

long st_trace_next(struct st_trace *trace, struct st_event **events, struct st_error *error) {
    *events = trace->events;
    long count = trace->format->next(trace->reader, trace->events, BATCH, error);
    if (count < 0)
        return -1;
    if (count == 0 && st_trace_facts(trace)->events == 0)
        return st_fail(error, trace->input.name, ST_AT_FILE, 0, "holds no event");
    if (st_validate(trace->validator, trace->events, (size_t)count, &trace->symbols, error) < 0)
        return place_error(trace, error);
    return count;
}

const struct st_symbols *st_trace_symbols(const struct st_trace *trace) {
    return &trace->symbols;
}

const struct st_facts *st_trace_facts(const struct st_trace *trace) {
    return st_validator_facts(trace->validator);
}

const struct st_repairs *st_trace_repairs(const struct st_trace *trace) {
    return st_validator_repairs(trace->validator);
}

const char *st_trace_format(const struct st_trace *trace) {
    return trace->format->name;
}

const char *st_trace_name(const struct st_trace *trace) {
    return trace->input.name;
}

bool st_trace_is_text(const struct st_trace *trace) {
    return trace->format == &st_std_format;
}

bool st_trace_cut(const struct st_trace *trace) {
    return trace->format->cut(trace->reader);
}

void st_trace_progress(const struct st_trace *trace, uint64_t *done, uint64_t *total) {
    *done = trace->input.consumed;
    *total = trace->input.size;
}
