#define _GNU_SOURCE /* memmem */
#include "trace/trace.h"

#include "base/memory.h"
#include "trace/ahead.h"
#include "trace/format.h"
#include "trace/late/placing.h"

#include <stdlib.h>
#include <string.h>

/* A short trace is read before a second thread has started. */
enum { BATCHES_BEFORE_AHEAD = 4 };

struct st_trace {
    struct st_input input;
    struct st_symbols symbols;
    const struct st_format *format;
    void *reader;
    struct st_validator *validator;
    bool may_read_ahead;
    bool counted;                /* calls that have no events */
    size_t batches;              /* read so far */
    struct st_ahead *ahead;      /* NULL while this thread reads */
    uint64_t consumed;           /* bytes of the input */
    struct st_batch batch;       /* of this thread's reading */
    const struct st_batch *last; /* the one that was returned last */
};

static bool begins(const char *bytes, size_t size, const char *with) {
    size_t length = strlen(with);
    return size >= length && memcmp(bytes, with, length) == 0;
}

/* What somebody may take for a trace, and what to do with it; NULL: it may be one. */
static const char *what_else(const char *bytes, size_t size) {
    static const char result[] = "\"schema\": \"seriatim";
    if (begins(bytes, size, "\177ELF"))
        return "is a program, not a trace; watch it with 'seriatim run', or record a trace of it "
               "with 'seriatim record'";
    if (size && *bytes == '{' && memmem(bytes, size, result, sizeof result - 1))
        return "is a saved result, not a trace; show it with 'seriatim report'";
    if (begins(bytes, size, "\xef\xbb\xbf")) /* it would belong to the name of the first thread */
        return "begins with a byte order mark; save it as UTF-8 without one";
    if (begins(bytes, size, "\xff\xfe") || begins(bytes, size, "\xfe\xff"))
        return "is text in UTF-16; save it as UTF-8 without a byte order mark";
    return NULL;
}

/* A recording whose recorder did not come to its end may have events that are not at their places.
 */
static int place_late(struct st_input *input, struct st_error *error) {
    if (st_input_fill(input, ST_LATE_HEAD, error) < 0)
        return -1;
    if (!st_is_late(st_input_bytes(input), st_input_available(input)))
        return 0;
    return st_late_place_input(input, error);
}

/* Finds the format from the first bytes and opens its reader. */
static int open_reader(struct st_trace *trace, struct st_error *error) {
    struct st_input *input = &trace->input;
    enum { OF_RESULT = 512 }; /* more than it takes to know a saved result, which begins with { */
    if (st_input_fill(input, ST_NATIVE_MAGIC_SIZE, error) < 0)
        return -1;
    if (!st_input_available(input))
        return st_fail(error, input->name, ST_AT_FILE, 0, "is empty, not a trace");
    if (*st_input_bytes(input) == '{' && st_input_fill(input, OF_RESULT, error) < 0)
        return -1;
    const char *other = what_else(st_input_bytes(input), st_input_available(input));
    if (other)
        return st_fail(error, input->name, ST_AT_FILE, 0, "%s", other);
    bool native = st_native_detect(st_input_bytes(input), st_input_available(input)),
         failed = false;
    trace->format = native ? &st_native_format : st_foreign_detect(input, &failed, error);
    if (failed || (native && place_late(input, error) < 0))
        return -1;
    if (!trace->format)
        trace->format = &st_std_format;
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
    trace->symbols.reuses = flags & ST_TRACE_LIVES;
    trace->symbols.packs = flags & ST_TRACE_PACKED;
    trace->symbols.values = flags & ST_TRACE_VALUES;
    trace->validator = st_validator_new(flags & ST_TRACE_REPAIR);
    trace->may_read_ahead = flags & ST_TRACE_AHEAD;
    if (open_reader(trace, error) < 0) {
        st_trace_close(trace);
        return NULL;
    }
    return trace;
}

void st_trace_close(struct st_trace *trace) {
    if (!trace)
        return;
    st_ahead_stop(trace->ahead);
    if (trace->reader)
        trace->format->close(trace->reader);
    st_batch_free(&trace->batch);
    st_validator_free(trace->validator);
    st_symbols_free(&trace->symbols);
    st_input_close(&trace->input);
    free(trace);
}

/* A validation error knows the event only; say where that is. The reading thread must be at rest,
 * since names are looked up. */
static long explain(struct st_trace *trace, struct st_error *error) {
    st_ahead_stop(trace->ahead);
    trace->ahead = NULL;
    trace->last = NULL;
    struct st_error found;
    st_validate_explain(trace->validator, &trace->symbols, &found);
    enum st_position_kind at = st_trace_is_text(trace) ? ST_AT_LINE : ST_AT_EVENT;
    return st_fail(error, trace->input.name, at, found.position, "%s", found.cause);
}

/* The next batch, from the reading thread if there is one. At the end that thread has ended too. */
static struct st_batch *take_batch(struct st_trace *trace) {
    if (!trace->ahead && trace->may_read_ahead && trace->batches == BATCHES_BEFORE_AHEAD)
        trace->ahead = st_ahead_start(trace->format, trace->reader, &trace->input, &trace->symbols);
    trace->batches++;
    if (trace->ahead)
        return st_ahead_next(trace->ahead);
    st_batch_read(&trace->batch, trace->format, trace->reader, &trace->input, &trace->symbols);
    return &trace->batch;
}

/* Calls without events count, too. They are known at the end. */
static void count_left_out(struct st_trace *trace) {
    const struct st_silent_calls *calls = &trace->symbols.left_out;
    for (size_t i = 0; i < calls->capacity; i++)
        if (calls->list[i] && !trace->counted)
            st_validator_count(trace->validator, (uint32_t)i, calls->list[i]);
    trace->counted = true;
}

long st_trace_next(struct st_trace *trace, struct st_event **events, struct st_error *error) {
    struct st_batch *batch = take_batch(trace);
    long count = batch->count;
    *events = batch->events;
    trace->last = count > 0 ? batch : NULL;
    trace->consumed = batch->consumed;
    if (count < 0)
        *error = batch->error;
    if (count <= 0) {
        st_ahead_stop(trace->ahead);
        trace->ahead = NULL;
    }
    if (count == 0)
        count_left_out(trace);
    if (count == 0 && st_trace_facts(trace)->events == 0)
        return st_fail(error, trace->input.name, ST_AT_FILE, 0,
                       st_trace_truncated(trace)
                           ? "is truncated before the end of its first chunk, so no "
                             "event can be read"
                           : "holds no event");
    if (count > 0 && st_validate(trace->validator, batch->events, (size_t)count, batch->threads,
                                 batch->locks) < 0)
        return explain(trace, error);
    return count;
}

const struct st_variable_run *st_trace_ended(const struct st_trace *trace, size_t *count) {
    *count = trace->last ? trace->last->ended_count : 0;
    return trace->last ? trace->last->ended : NULL;
}

const struct st_access_value *st_trace_values(const struct st_trace *trace) {
    return trace->last && trace->last->has_values ? trace->last->values : NULL;
}

const struct st_symbols *st_trace_symbols(const struct st_trace *trace) {
    return &trace->symbols;
}

void st_trace_drop_names(struct st_trace *trace, uint32_t first) {
    st_names_drop(&trace->symbols.variables, first);
}

const struct st_channels *st_trace_channels(const struct st_trace *trace) {
    return &trace->symbols.channel_facts;
}

bool st_trace_is_recording(const struct st_trace *trace) {
    return trace->symbols.contexts.kept;
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

bool st_trace_truncated(const struct st_trace *trace) {
    return trace->format->truncated(trace->reader);
}

void st_trace_progress(const struct st_trace *trace, uint64_t *done, uint64_t *total) {
    *done = trace->consumed;
    *total = trace->input.size;
}
