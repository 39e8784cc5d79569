#include "cli/messages.h"

#include "base/memory.h"
#include "base/output.h"
#include "cli/cluster/ranks.h"
#include "cli/common_options.h"
#include "report/text/glyphs.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool held;
static struct st_text_buffer messages; /* its file is NULL if there are none */
static char complaint[sizeof(struct st_error) + 64];

void hold_messages(void) {
    held = true;
}

void release_messages(void) {
    held = false;
}

char *take_messages(void) {
    if (!messages.file)
        return st_strdup("");
    char *text = st_text_buffer_close(&messages);
    messages.file = NULL;
    return text;
}

void print_messages(const char *lines) {
    fputs(lines, stderr);
}

const char *last_complaint(void) {
    return *complaint ? complaint : NULL;
}

/* Names of files and what is in them may hold what a terminal obeys. */
static void put_message(const char *head, const char *text) {
    FILE *file = stderr;
    if (held)
        file = messages.file ? messages.file : st_text_buffer_open(&messages);
    fputs(head, file);
    st_put_safely(file, text, strlen(text), SIZE_MAX);
    fputc('\n', file);
}

enum status complain(const struct st_error *error) {
    st_error_text(error, complaint, sizeof complaint);
    put_message("seriatim: ", complaint);
    return STATUS_TROUBLE;
}

void warn(const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_message("seriatim: warning: ", text);
}

enum status show(void (*write)(FILE *file, const void *context), const void *context) {
    struct st_output output;
    struct st_error error;
    if (st_output_open(&output, NULL, NULL, &error) < 0)
        return complain(&error);
    write(output.file, context);
    return st_output_finish(&output, &error) < 0 ? complain(&error) : STATUS_CLEAN;
}

/* The terminal of a rank is always one: mpirun makes it, and passes on what it gets. */
static bool is_read_by_person(int fd) {
    return isatty(fd) && !ranks_crew();
}

bool use_color(unsigned color, int fd) {
    const char *no_color = getenv("NO_COLOR");
    if (color == COLOR_AUTO)
        return is_read_by_person(fd) && !(no_color && *no_color);
    return color == COLOR_ALWAYS;
}

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

static void put_line(struct progress_line *progress, const char *line, int width) {
    fprintf(stderr, "\r%-*s", progress->width, line);
    fflush(stderr);
    if (width > progress->width)
        progress->width = width;
}

static void show_line(void *context, const struct st_trace *trace) {
    struct progress_line *progress = context;
    char line[80];
    if (now() < progress->next)
        return;
    progress->next = now() + 0.25;
    int width = format_line(trace, line, sizeof line);
    put_line(progress, line, width);
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

void show_status_line(const char *line) {
    static struct progress_line progress;
    if (!line)
        clear_line(&progress);
    else if (isatty(STDERR_FILENO))
        put_line(&progress, line, (int)strlen(line));
}

void show_behind(const void *quiet, uint64_t records, double rate) {
    char line[120];
    snprintf(line, sizeof line,
             "catching up: %.2f million events behind, %.2f million a second (Ctrl-C: report now)",
             (double)records * 1e-6, rate * 1e-6);
    if (!records || !*(const bool *)quiet)
        show_status_line(records ? line : NULL);
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

const char *plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

static void warn_of_trace(const struct st_trace *trace) {
    for (int kind = 0; kind < ST_MALFORMED_COUNT; kind++)
        if (st_trace_repairs(trace)->kinds[kind].count)
            warn_of_repair(trace, (enum st_malformed)kind);
    if (st_trace_truncated(trace))
        warn("%s: is truncated; only its first %" PRIu64 " event%s could be read",
             st_trace_name(trace), st_trace_facts(trace)->events,
             plural(st_trace_facts(trace)->events));
}

void end_reading(struct st_reading *reading, bool good) {
    st_reading_stop(reading);
    if (good)
        warn_of_trace(reading->trace);
}

/* Was nobody warned of the trace before? */
static bool is_first_warning(const char *trace) {
    static char **names;
    static size_t count, capacity;
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], trace) == 0)
            return false;
    st_reserve(&names, &capacity, count + 1);
    names[count++] = st_strdup(trace);
    return true;
}

void warn_once_of_trace(const struct st_trace *trace) {
    if (!is_first_warning(st_trace_name(trace)))
        return;
    show_status_line(NULL);
    warn_of_trace(trace);
}

/* ---- on the way to an analysis ---- */

int open_trace_input(struct st_trace_input *input, struct st_trace_source source, bool quiet,
                     struct st_error *error) {
    source.progress = progress_line(quiet);
    return st_trace_input_open(input, &source, error);
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

static void warn_of_unwatched(const char *program, int status) {
    if (st_is_java(program) && status != 0)
        warn("%s ended with status %d and had loaded no class that is to be watched, so there is "
             "nothing to check: see what it says above if it could not start; "
             "otherwise, " ST_JAVA_UNWATCHED,
             program, status);
    else if (st_is_java(program))
        warn("%s loaded no class that is to be watched, so there is nothing to "
             "check: " ST_JAVA_UNWATCHED,
             program);
    else if (st_is_native_image(program))
        warn("%s is a native image, and Java programs are watched in a JVM: run its classes with "
             "java",
             program);
    else
        warn("%s could not be watched, so there is nothing to check: build it with seriatim-cc or "
             "seriatim-c++ (or link it dynamically with gcc -fsanitize=thread)",
             program);
}

void warn_of_watch(const struct st_watch *watch, const char *program) {
    char reason[512];
    if (!st_watch_attached(watch)) {
        warn_of_unwatched(program, watch->program.status);
        return;
    }
    if (watch->program.left_others)
        warn("%s has ended, but a process that it started is still running and is not watched; if "
             "the program put itself into the background, keep it in the foreground",
             program);
    if (st_watch_had_no_room(watch))
        warn("%s could not be watched: it may not reserve 64 TiB of addresses (which takes no "
             "memory); lift the limit with 'ulimit -v unlimited'",
             program);
    if (st_watch_is_worn_out(watch))
        warn("a thread of %s called more functions than seriatim can tell apart (some 69 billion): "
             "what the program did after that was not seen",
             program);
    else if (st_watch_gave_up(watch))
        warn("%s ran out of memory for its events: what it did after that was not seen", program);
    uint32_t shut_in = atomic_load(&watch->memory.head->shut_in);
    if (shut_in)
        warn("%s forked %" PRIu32 " process%s not watched, after it had given up rights (seccomp)",
             program, shut_in, shut_in == 1 ? ", which was" : "es, which were");
    if (watch->interrupted)
        warn("interrupted: %" PRIu64 " event%s that %s had emitted %s not read", watch->unread,
             plural(watch->unread), program, watch->unread == 1 ? "was" : "were");
    if (st_watch_is_damaged(watch))
        warn("%s has overwritten memory that it shares with seriatim, perhaps through a stray "
             "pointer: "
             "what it did after that was not seen, and what was seen may be wrong",
             program);
    uint64_t missing = st_watch_missing(watch, reason, sizeof reason);
    if (missing)
        warn("%" PRIu64 " event%s missing (%s)", missing, missing == 1 ? " is" : "s are", reason);
}

enum status watch_status(const struct st_watch *watch, int found) {
    if (watch->program.status)
        return (enum status)watch->program.status;
    bool partly = st_watch_had_no_room(watch) || st_watch_gave_up(watch) || watch->interrupted;
    if (!st_watch_attached(watch) || (found == STATUS_CLEAN && partly) ||
        st_watch_is_damaged(watch))
        return STATUS_TROUBLE;
    return (enum status)found;
}

void warn_of_elements(const struct st_spec *spec, const char *path) {
    if (spec && st_spec_cutoff(spec) != UINT64_MAX)
        warn("%s: 'ignore elements' is for traces and has no effect on a program that runs: use it "
             "when you check or predict from a recording",
             path);
}
