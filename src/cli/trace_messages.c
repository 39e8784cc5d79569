#include "cli/trace_messages.h"

#include "cli/messages.h"

#include <inttypes.h>
#include <time.h>
#include <unistd.h>

/* ---- progress ---- */

/* There is one terminal, with one progress line. */
struct progress_line {
    double next; /* when to show the line again */
    int width;   /* of the line on the terminal; 0 if there is none */
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int format_line(const struct st_trace *trace, char *line, size_t size) {
    uint64_t done, total;
    const char *name = st_trace_name(trace);
    st_trace_progress(trace, &done, &total);
    if (!total)
        return snprintf(line, size, "%.1f million events of %.50s",
                        (double)st_trace_facts(trace)->events * 1e-6, name);
    double share = (double)(done < total ? done : total) / (double)total;
    return snprintf(line, size, "%3.0f %% of %.60s", 100.0 * share, name);
}

static void show_line(void *context, const struct st_trace *trace) {
    struct progress_line *progress = context;
    char line[80];
    if (now() < progress->next)
        return;
    progress->next = now() + 0.25;
    int width = format_line(trace, line, sizeof line);
    fprintf(stderr, "\r%-*s", progress->width, line);
    fflush(stderr);
    if (width > progress->width)
        progress->width = width;
}

static void clear_line(void *context) {
    struct progress_line *progress = context;
    if (!progress->width)
        return;
    fprintf(stderr, "\r%*s\r", progress->width, "");
    fflush(stderr);
    progress->width = 0;
}

/* NULL if nobody would see it. */
static const struct st_progress_hook *progress_line(bool quiet) {
    static struct progress_line progress;
    static const struct st_progress_hook hook = {show_line, clear_line, &progress};
    if (quiet || !isatty(STDERR_FILENO))
        return NULL;
    progress = (struct progress_line){.next = now() + 1.0};
    return &hook;
}

void hide_progress(struct st_reading *reading) {
    st_reading_stop(reading);
    reading->progress = NULL;
}

/* ---- reading ---- */

int open_reading(struct st_reading *reading, const char *path, unsigned flags, bool quiet,
                 struct st_error *error) {
    return st_reading_open(reading, path, flags, progress_line(quiet), error);
}

static void warn_of_repair(const struct st_trace *trace, enum st_malformed kind) {
    uint64_t count = st_trace_repairs(trace)->kinds[kind].count;
    uint64_t first = st_trace_repairs(trace)->kinds[kind].first_event;
    const char *repair = kind == ST_EVENT_AFTER_JOIN ? "kept" : "dropped";
    char many[64] = "";
    if (count > 1)
        snprintf(many, sizeof many, " (%" PRIu64 " such events)", count);
    warn("%s:%s%" PRIu64 ": %s; event %s%s", st_trace_name(trace),
         st_trace_is_text(trace) ? "" : " event ", first, st_malformed_text(kind), repair, many);
}

void end_reading(struct st_reading *reading, bool good) {
    st_reading_stop(reading);
    if (!good)
        return;
    for (int kind = 0; kind < ST_MALFORMED_COUNT; kind++)
        if (st_trace_repairs(reading->trace)->kinds[kind].count)
            warn_of_repair(reading->trace, (enum st_malformed)kind);
    if (st_trace_truncated(reading->trace))
        warn("%s: is truncated; only its first %" PRIu64 " events could be read",
             st_trace_name(reading->trace), st_trace_facts(reading->trace)->events);
}

/* ---- on the way to an analysis ---- */

int open_trace_input(struct st_trace_input *input, struct st_trace_source source, bool quiet,
                     struct st_error *error) {
    source.progress = progress_line(quiet);
    if (st_trace_input_open(input, &source, error) < 0)
        return -1;
    uint64_t section = input->spec ? st_spec_section_line(input->spec) : 0;
    if (section)
        warn("%s:%" PRIu64 ": 'atomic section' is for run and record and has no effect here: a "
             "trace already has its blocks",
             st_trace_input_spec_name(input), section);
    return 0;
}

int pass_trace_input(struct st_trace_input *input, st_trace_input_feed *feed, void *context,
                     struct st_error *error) {
    bool first = !input->was_read;
    int result = st_trace_input_pass(input, feed, context, error);
    if (first)
        end_reading(&input->reading, result == 0);
    return result;
}

void warn_of_no_blocks(const struct st_trace_input *input) {
    if (st_trace_input_selects_nothing(input))
        warn("%s: selects no block of %s", st_trace_input_spec_name(input),
             st_trace_name(input->reading.trace));
}
