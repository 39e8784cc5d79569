#include "session/trace_input.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* So many events of a file are kept for the next pass; beyond that it is read again. */
#define KEPT_EVENTS ((size_t)1 << 24)
enum { BATCH = 65536 };

static const char *spec_name(const struct trace_input *input) {
    return strcmp(input->spec_path, "-") == 0 ? "standard input" : input->spec_path;
}

static int load_spec(struct trace_input *input, struct st_error *error) {
    if (!input->spec_path)
        return 0;
    if (strcmp(input->spec_path, "-") == 0 && strcmp(input->path, "-") == 0)
        return st_fail(error, input->command, ST_AT_FILE, 0,
                       "standard input cannot be the trace and the specification at once");
    input->spec = st_spec_load(input->spec_path, error);
    if (!input->spec)
        return -1;
    uint64_t section = st_spec_section_line(input->spec);
    if (section)
        warn("%s:%" PRIu64 ": 'atomic section' applies to run and record only; a trace has its "
             "blocks already",
             spec_name(input), section);
    return 0;
}

bool trace_input_is_file(const struct trace_input *input) {
    struct stat status;
    return strcmp(input->path, "-") != 0 && stat(input->path, &status) == 0 &&
           S_ISREG(status.st_mode);
}

int trace_input_open(struct trace_input *input, const char *command, const char *path,
                     const char *spec, unsigned flags, bool again, bool quiet,
                     struct st_error *error) {
    *input = (struct trace_input){.command = command,
                                  .path = path,
                                  .spec_path = spec,
                                  .flags = flags,
                                  .quiet = quiet,
                                  .keeps = again};
    if (load_spec(input, error) < 0)
        return -1;
    /* A selection looks at names while events are read, which reading ahead does not allow. */
    if (input->spec)
        input->flags &= ~(unsigned)ST_TRACE_AHEAD;
    if (reading_open(&input->reading, path, input->flags, quiet, error) < 0) {
        st_spec_free(input->spec);
        return -1;
    }
    const struct st_symbols *symbols = st_trace_symbols(input->reading.trace);
    if (input->spec)
        input->selection = st_selection_new(input->spec, symbols);
    if (symbols->contexts.kept)
        input->replay = st_replay_new();
    return 0;
}

void trace_input_close(struct trace_input *input) {
    if (input->has_words && input->replay) {
        st_names_free(&input->symbols.locations);
        st_contexts_free(&input->symbols.contexts);
    }
    free(input->kept);
    reading_close(&input->reading);
    st_selection_free(input->selection);
    st_replay_free(input->replay);
    st_spec_free(input->spec);
}

/* ---- passes ---- */

static void prepare(struct st_selection *selection, struct st_replay *replay,
                    struct st_event *events, size_t count) {
    if (selection)
        st_select(selection, events, count);
    if (replay)
        st_replay_events(replay, events, count);
}

static void keep(struct trace_input *input, const struct st_event *events, size_t count) {
    if (input->kept_count + count > KEPT_EVENTS && trace_input_is_file(input)) {
        free(input->kept);
        input->kept = NULL;
        input->kept_count = input->kept_capacity = 0;
        input->keeps = false;
        return;
    }
    st_reserve(&input->kept, &input->kept_capacity, input->kept_count + count);
    memcpy(input->kept + input->kept_count, events, count * sizeof *events);
    input->kept_count += count;
}

long trace_input_next(struct trace_input *input, struct st_event **events, uint64_t *first,
                      struct st_error *error) {
    long count = reading_next(&input->reading, events, first, error);
    if (count <= 0)
        return count;
    prepare(input->selection, input->replay, *events, (size_t)count);
    if (input->keeps)
        keep(input, *events, (size_t)count);
    return count;
}

static int first_pass(struct trace_input *input, trace_input_feed *feed, void *context,
                      struct st_error *error) {
    struct st_event *events;
    uint64_t first;
    long count;
    while ((count = trace_input_next(input, &events, &first, error)) > 0)
        feed(context, events, (size_t)count, first);
    reading_end(&input->reading, count >= 0);
    input->was_read = true;
    return count < 0 ? -1 : 0;
}

static void feed_kept(struct trace_input *input, trace_input_feed *feed, void *context) {
    for (size_t i = 0; i < input->kept_count; i += BATCH) {
        size_t rest = input->kept_count - i;
        feed(context, input->kept + i, rest < BATCH ? rest : BATCH, i + 1);
    }
}

/* The same file gets the same numbers. If it has changed in between, it is not the same. */
static int read_again(struct trace_input *input, trace_input_feed *feed, void *context,
                      struct st_error *error) {
    struct reading reading;
    struct st_event *events;
    uint64_t first;
    long count;
    if (reading_open(&reading, input->path, input->flags, input->quiet, error) < 0)
        return -1;
    struct st_selection *selection =
        input->spec ? st_selection_new(input->spec, st_trace_symbols(reading.trace)) : NULL;
    struct st_replay *replay = input->replay ? st_replay_new() : NULL;
    while ((count = reading_next(&reading, &events, &first, error)) > 0) {
        prepare(selection, replay, events, (size_t)count);
        feed(context, events, (size_t)count, first);
    }
    if (count == 0 &&
        st_trace_facts(reading.trace)->events != st_trace_facts(input->reading.trace)->events)
        count = st_fail(error, st_trace_name(reading.trace), ST_AT_FILE, 0,
                        "has changed while it was read");
    st_selection_free(selection);
    st_replay_free(replay);
    reading_close(&reading);
    return count < 0 ? -1 : 0;
}

int trace_input_pass(struct trace_input *input, trace_input_feed *feed, void *context,
                     struct st_error *error) {
    if (!input->was_read)
        return first_pass(input, feed, context, error);
    if (!input->keeps)
        return read_again(input, feed, context, error);
    feed_kept(input, feed, context);
    return 0;
}

/* ---- for the report ---- */

struct st_facts trace_input_facts(const struct trace_input *input) {
    struct st_facts facts = *st_trace_facts(input->reading.trace);
    if (input->selection) {
        const struct st_selected *selected = st_selection_selected(input->selection);
        facts.executed = selected->executed;
        facts.executed_count = selected->executed_count;
        facts.unnamed_blocks = selected->unnamed;
    }
    return facts;
}

void trace_input_words(struct trace_input *input) {
    input->symbols = *st_trace_symbols(input->reading.trace);
    input->has_words = true;
    if (!input->replay)
        return;
    st_names_init(&input->symbols.locations);
    st_contexts_init(&input->symbols.contexts);
}

uint64_t trace_input_word(void *context, uint64_t loc) {
    struct trace_input *input = context;
    if (!input->replay)
        return loc;
    return st_replay_location(input->replay, st_trace_symbols(input->reading.trace),
                              &input->symbols, loc);
}

time_t trace_input_recorded(const struct trace_input *input) {
    struct stat status;
    return input->replay && stat(input->path, &status) == 0 ? status.st_mtime : 0;
}

void trace_input_warn_of_no_blocks(const struct trace_input *input) {
    if (input->selection && st_trace_facts(input->reading.trace)->ops[ST_BEGIN] &&
        !st_selection_selected(input->selection)->all)
        warn("%s: calls no block of %s atomic", spec_name(input),
             st_trace_name(input->reading.trace));
}
