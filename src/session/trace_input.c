#include "session/trace_input.h"

#include "base/memory.h"
#include "spec/sections.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- reading ---- */

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

/* ---- opening ---- */

/* How many events are kept for the next pass; a file with more is read again. */
#define KEPT_EVENTS ((size_t)1 << 24)
enum { BATCH = 65536 };

const char *st_trace_input_spec_name(const struct st_trace_input *input) {
    return strcmp(input->source.spec, "-") == 0 ? "standard input" : input->source.spec;
}

static int read_spec_text(struct st_trace_input *input, struct st_error *error) {
    const char *text = input->source.spec_text;
    FILE *file = fmemopen((char *)text, strlen(text), "r");
    if (!file)
        st_out_of_memory();
    input->spec = st_spec_read(file, "the specification", error);
    fclose(file);
    return input->spec ? 0 : -1;
}

static int load_spec(struct st_trace_input *input, struct st_error *error) {
    const struct st_trace_source *source = &input->source;
    if (source->spec_text)
        return read_spec_text(input, error);
    if (!source->spec)
        return 0;
    if (strcmp(source->spec, "-") == 0 && strcmp(source->path, "-") == 0)
        return st_fail(error, source->command, ST_AT_FILE, 0,
                       "standard input cannot be the trace and the specification at once");
    input->spec = st_spec_load(source->spec, error);
    return input->spec ? 0 : -1;
}

bool st_trace_input_is_file(const struct st_trace_input *input) {
    struct stat status;
    return strcmp(input->source.path, "-") != 0 && stat(input->source.path, &status) == 0 &&
           S_ISREG(status.st_mode);
}

/* NULL: all blocks count. */
static struct st_selection *new_selection(const struct st_trace_input *input,
                                          const struct st_symbols *symbols) {
    bool starts = !input->source.no_starts;
    if (!input->spec && starts)
        return NULL;
    return st_selection_new(input->spec, symbols, starts);
}

/* NULL: critical sections are no blocks. */
static struct st_sections *new_sections(const struct st_trace_input *input,
                                        const struct st_trace *trace) {
    bool wanted = input->spec && st_spec_section_line(input->spec);
    return wanted ? st_sections_new(st_trace_channels(trace), &st_trace_symbols(trace)->blocks)
                  : NULL;
}

int st_trace_input_open(struct st_trace_input *input, const struct st_trace_source *source,
                        struct st_error *error) {
    *input = (struct st_trace_input){.source = *source, .keeps = source->again};
    if (load_spec(input, error) < 0)
        return -1;
    /* A selection looks up names while events are read, which rules out reading ahead. */
    if (input->spec)
        input->source.flags &= ~(unsigned)ST_TRACE_AHEAD;
    if (input->spec && st_spec_cutoff(input->spec) != UINT64_MAX)
        input->source.flags &= ~(unsigned)(ST_TRACE_PACKED | ST_TRACE_LIVES); /* names are read */
    if (st_reading_open(&input->reading, source->path, input->source.flags, source->progress,
                        error) < 0) {
        st_spec_free(input->spec);
        return -1;
    }
    const struct st_symbols *symbols = st_trace_symbols(input->reading.trace);
    input->selection = new_selection(input, symbols);
    input->sections = new_sections(input, input->reading.trace);
    if (symbols->contexts.kept)
        input->tracker = st_context_tracker_new(st_trace_channels(input->reading.trace));
    return 0;
}

void st_trace_input_close(struct st_trace_input *input) {
    if (input->has_symbols && st_symbols_know_threads(&input->symbols))
        st_names_free(&input->symbols.threads);
    if (input->has_symbols && input->tracker) {
        st_names_free(&input->symbols.locations);
        st_contexts_free(&input->symbols.contexts);
    }
    free(input->kept);
    st_value_list_free(&input->values);
    st_reading_close(&input->reading);
    st_selection_free(input->selection);
    st_sections_free(input->sections);
    st_context_tracker_free(input->tracker);
    st_spec_free(input->spec);
}

/* ---- passes ---- */

/* What stands between a trace and an analysis. */
struct stages {
    struct st_selection *selection;
    struct st_context_tracker *tracker;
    struct st_sections *sections;
};

/* May put other events into *events, and change how many there are and their numbers. */
static void prepare(const struct stages *stages, struct st_event **events, long *count,
                    uint64_t *first) {
    size_t marked;
    if (stages->selection)
        st_select(stages->selection, *events, (size_t)*count);
    if (stages->tracker)
        st_context_tracker_events(stages->tracker, *events, (size_t)*count);
    if (!stages->sections)
        return;
    *first = st_sections_events(stages->sections) + 1;
    *events = st_sections_mark(stages->sections, *events, (size_t)*count, &marked);
    *count = (long)marked;
}

static void keep(struct st_trace_input *input, const struct st_event *events, size_t count) {
    if (input->kept_count + count > KEPT_EVENTS && st_trace_input_is_file(input)) {
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

long st_trace_input_next(struct st_trace_input *input, struct st_event **events, uint64_t *first,
                         struct st_error *error) {
    long count = st_reading_next(&input->reading, events, first, error);
    if (count == 0 && input->selection)
        st_selection_count_silent(input->selection);
    if (count == 0 && input->source.ended)
        input->source.ended(input->reading.trace);
    if (count <= 0)
        return count;
    prepare(&(struct stages){input->selection, input->tracker, input->sections}, events, &count,
            first);
    if (input->keeps)
        keep(input, *events, (size_t)count);
    if (!input->sections) /* values are found by numbers of the trace */
        st_value_list_add(&input->values, st_trace_values(input->reading.trace), (size_t)count,
                          *first);
    return count;
}

static int first_pass(struct st_trace_input *input, st_trace_input_feed *feed, void *context,
                      struct st_error *error) {
    struct st_event *events;
    uint64_t first;
    long count;
    while ((count = st_trace_input_next(input, &events, &first, error)) > 0)
        feed(context, events, (size_t)count, first);
    input->was_read = true;
    return count < 0 ? -1 : 0;
}

static void feed_kept(struct st_trace_input *input, st_trace_input_feed *feed, void *context) {
    for (size_t i = 0; i < input->kept_count; i += BATCH) {
        size_t rest = input->kept_count - i;
        feed(context, input->kept + i, rest < BATCH ? rest : BATCH, i + 1);
    }
}

/* The same file gives the same numbers. If the numbers differ, the file has changed. */
static int read_again(struct st_trace_input *input, st_trace_input_feed *feed, void *context,
                      struct st_error *error) {
    struct st_reading reading;
    struct st_event *events;
    uint64_t first;
    long count;
    if (st_reading_open(&reading, input->source.path, input->source.flags, input->source.progress,
                        error) < 0)
        return -1;
    struct stages stages = {
        new_selection(input, st_trace_symbols(reading.trace)),
        input->tracker ? st_context_tracker_new(st_trace_channels(reading.trace)) : NULL,
        new_sections(input, reading.trace)};
    while ((count = st_reading_next(&reading, &events, &first, error)) > 0) {
        prepare(&stages, &events, &count, &first);
        feed(context, events, (size_t)count, first);
    }
    if (count == 0 &&
        st_trace_facts(reading.trace)->events != st_trace_facts(input->reading.trace)->events)
        count = st_fail(error, st_trace_name(reading.trace), ST_AT_FILE, 0,
                        "has changed while it was read");
    st_selection_free(stages.selection);
    st_context_tracker_free(stages.tracker);
    st_sections_free(stages.sections);
    st_reading_close(&reading);
    return count < 0 ? -1 : 0;
}

int st_trace_input_pass(struct st_trace_input *input, st_trace_input_feed *feed, void *context,
                        struct st_error *error) {
    if (!input->was_read)
        return first_pass(input, feed, context, error);
    if (!input->keeps)
        return read_again(input, feed, context, error);
    feed_kept(input, feed, context);
    return 0;
}

/* ---- for the report ---- */

uint64_t st_trace_input_events(const struct st_trace_input *input) {
    return input->sections ? st_sections_events(input->sections)
                           : st_trace_facts(input->reading.trace)->events;
}

struct st_facts st_trace_input_facts(const struct st_trace_input *input) {
    struct st_facts facts = *st_trace_facts(input->reading.trace);
    if (input->selection) {
        const struct st_selected *selected = st_selection_selected(input->selection);
        facts.executed = selected->executed;
        facts.executed_count = selected->executed_count;
        facts.unnamed_blocks = selected->unnamed;
    }
    uint64_t sections = input->sections ? st_sections_count(input->sections) : 0;
    facts.events = st_trace_input_events(input);
    facts.unnamed_blocks += sections;
    facts.ops[ST_BEGIN] += sections;
    return facts;
}

/* As the program calls them. */
static void name_threads(struct st_trace_input *input, const struct st_symbols *usual) {
    char text[1024];
    st_names_init(&input->symbols.threads);
    for (uint32_t i = 0; i < usual->threads.count; i++) {
        bool known = st_thread_word(&usual->given, i) || st_thread_word(&usual->started, i);
        if (known)
            st_symbols_thread_name(usual, i, text, sizeof text);
        const char *name = known ? text : st_name(&usual->threads, i);
        st_names_append(&input->symbols.threads, name, strlen(name));
    }
}

const struct st_symbols *st_trace_input_symbols(struct st_trace_input *input) {
    input->symbols = *st_trace_symbols(input->reading.trace);
    input->has_symbols = true;
    if (st_symbols_know_threads(&input->symbols))
        name_threads(input, st_trace_symbols(input->reading.trace));
    if (input->tracker) {
        st_names_init(&input->symbols.locations);
        st_contexts_init(&input->symbols.contexts);
    }
    return &input->symbols;
}

uint64_t st_trace_input_location(void *context, uint64_t loc) {
    struct st_trace_input *input = context;
    if (!input->tracker)
        return loc;
    return st_context_tracker_location(input->tracker, st_trace_symbols(input->reading.trace),
                                       &input->symbols, loc);
}

time_t st_trace_input_recorded(const struct st_trace_input *input) {
    struct stat status;
    return input->tracker && stat(input->source.path, &status) == 0 ? status.st_mtime : 0;
}

bool st_trace_input_selects_nothing(const struct st_trace_input *input) {
    return input->spec && st_trace_facts(input->reading.trace)->ops[ST_BEGIN] &&
           !st_selection_selected(input->selection)->all &&
           !(input->sections && st_sections_count(input->sections));
}
