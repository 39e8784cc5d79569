#include "cli/common_options.h"

#include "cli/trace_messages.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const char *const color_words[] = {
    [COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never", NULL};
const char *const format_words[] = {[FORMAT_TEXT] = "text", [FORMAT_JSON] = "json", NULL};

enum status complain(const struct st_error *error) {
    char text[sizeof *error + 64];
    st_error_text(error, text, sizeof text);
    fprintf(stderr, "seriatim: %s\n", text);
    return STATUS_TROUBLE;
}

void warn(const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "seriatim: warning: %s\n", text);
}

enum status show(void (*write)(FILE *file, const void *context), const void *context) {
    struct st_output output;
    struct st_error error;
    if (st_output_open(&output, NULL, NULL, &error) < 0)
        return complain(&error);
    write(output.file, context);
    return st_output_finish(&output, &error) < 0 ? complain(&error) : STATUS_CLEAN;
}

bool use_color(unsigned color, int fd) {
    const char *no_color = getenv("NO_COLOR");
    if (color == COLOR_AUTO)
        return isatty(fd) && !(no_color && *no_color);
    return color == COLOR_ALWAYS;
}

static size_t find_width(int fd) {
    enum { LEAST = 40, MOST = 1000 };
    const char *columns = getenv("COLUMNS");
    unsigned long width = columns ? strtoul(columns, NULL, 10) : 0;
    struct winsize size;
    if (!width && isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    if (!width)
        return 0;
    return width < LEAST ? LEAST : width > MOST ? MOST : width;
}

struct st_text_style text_style(const struct common_values *common, int fd) {
    return (struct st_text_style){
        .quiet = common->quiet, .color = use_color(common->color, fd), .width = find_width(fd)};
}

int reading_open(struct reading *reading, const char *path, unsigned flags, bool quiet,
                 struct st_error *error) {
    reading->progress = NULL;
    reading->trace = st_trace_open(path, flags, error);
    if (!reading->trace)
        return -1;
    if (!quiet)
        reading->progress = progress_new();
    return 0;
}

static void show_progress(struct reading *reading) {
    uint64_t done, total;
    st_trace_progress(reading->trace, &done, &total);
    progress_show(reading->progress, st_trace_name(reading->trace), done, total,
                  st_trace_facts(reading->trace)->events);
}

long reading_next(struct reading *reading, struct st_event **events, uint64_t *first,
                  struct st_error *error) {
    *first = st_trace_facts(reading->trace)->events + 1;
    long count = st_trace_next(reading->trace, events, error);
    if (count <= 0)
        progress_clear(reading->progress);
    else if (progress_is_due(reading->progress))
        show_progress(reading);
    return count;
}

static void warn_of_repair(const struct st_trace *trace, enum st_malformed kind) {
    uint64_t count = st_trace_repairs(trace)->kinds[kind].count;
    uint64_t first = st_trace_repairs(trace)->kinds[kind].first_event;
    const char *fate = kind == ST_EVENT_AFTER_JOIN ? "kept" : "dropped";
    char many[64] = "";
    if (count > 1)
        snprintf(many, sizeof many, " (%" PRIu64 " such events)", count);
    warn("%s:%s%" PRIu64 ": %s; event %s%s", st_trace_name(trace),
         st_trace_is_text(trace) ? "" : " event ", first, st_malformed_text(kind), fate, many);
}

void reading_end(struct reading *reading, bool good) {
    progress_clear(reading->progress);
    if (!good)
        return;
    for (int kind = 0; kind < ST_MALFORMED_COUNT; kind++)
        if (st_trace_repairs(reading->trace)->kinds[kind].count)
            warn_of_repair(reading->trace, (enum st_malformed)kind);
    if (st_trace_cut(reading->trace))
        warn("%s: is cut off; only its first %" PRIu64 " events could be read",
             st_trace_name(reading->trace), st_trace_facts(reading->trace)->events);
}

void reading_hush(struct reading *reading) {
    progress_clear(reading->progress);
    free(reading->progress);
    reading->progress = NULL;
}

void reading_close(struct reading *reading) {
    reading_hush(reading);
    st_trace_close(reading->trace);
    reading->trace = NULL;
}
