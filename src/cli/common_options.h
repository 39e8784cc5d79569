/* What several commands need: common options, messages, traces opened for reading. */
#ifndef SERIATIM_CLI_COMMON_OPTIONS_H
#define SERIATIM_CLI_COMMON_OPTIONS_H

#include "base/options.h"
#include "base/output.h"
#include "cli/command.h"
#include "report/report.h"
#include "trace/trace.h"

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
enum format { FORMAT_TEXT, FORMAT_JSON };

/* The first member of every command's struct of values. */
struct common_values {
    bool quiet, help, version;
    unsigned color; /* enum color */
};

extern const char *const color_words[], *const format_words[];

/* The last rows of every command's table of options. */
#define COMMON_OPTIONS                                                                             \
    {.name = "quiet",                                                                              \
     .letter = 'q',                                                                                \
     .kind = ST_FLAG,                                                                              \
     .offset = offsetof(struct common_values, quiet),                                              \
     .help = "show no progress, and of a report only the summary"},                                \
        {.name = "color",                                                                          \
         .kind = ST_CHOICE,                                                                        \
         .offset = offsetof(struct common_values, color),                                          \
         .value = "MODE",                                                                          \
         .initial = "auto",                                                                        \
         .choices = color_words,                                                                   \
         .help = "when to color a report",                                                         \
         .note = "auto means on a terminal, unless NO_COLOR is set"},                              \
        {.name = "help",                                                                           \
         .letter = 'h',                                                                            \
         .kind = ST_FLAG,                                                                          \
         .offset = offsetof(struct common_values, help),                                           \
         .help = "show the help of the command"},                                                  \
        {.name = "version",                                                                        \
         .kind = ST_FLAG,                                                                          \
         .offset = offsetof(struct common_values, version),                                        \
         .help = "show the version"},                                                              \
    {                                                                                              \
        0                                                                                          \
    }

/* Rows for commands that have them. `type` is the command's struct of values. */
#define OUTPUT_OPTION(type)                                                                        \
    {                                                                                              \
        .name = "output", .letter = 'o', .kind = ST_TEXT, .offset = offsetof(type, output),        \
        .value = "FILE", .help = "write to FILE instead of standard output"                        \
    }

#define FORMAT_OPTION(type)                                                                        \
    {                                                                                              \
        .name = "format", .kind = ST_CHOICE, .offset = offsetof(type, format), .value = "FORMAT",  \
        .initial = "text", .choices = format_words, .help = "how to write the result"              \
    }

/* How to write findings: an index in st_report_formats. */
#define REPORT_FORMAT_OPTION(type, first)                                                          \
    {                                                                                              \
        .name = "format", .kind = ST_CHOICE, .offset = offsetof(type, format), .value = "FORMAT",  \
        .initial = first, .choice = st_report_format_name, .help = "how to write the result"       \
    }

#define LIMIT_OPTION(type)                                                                         \
    {                                                                                              \
        .name = "limit", .kind = ST_NUMBER, .offset = offsetof(type, limit), .value = "N",         \
        .initial = "100", .help = "list at most N violated blocks; 0 lists all"                    \
    }

#define REPAIR_OPTION(type)                                                                        \
    {                                                                                              \
        .name = "repair", .kind = ST_FLAG, .offset = offsetof(type, repair),                       \
        .help =                                                                                    \
            "drop events that cannot be (the release of a lock that is not held, and the like) "   \
            "with a warning, instead of giving up"                                                 \
    }

/* Print one line on standard error: "seriatim: ..." and "seriatim: warning: ...". */
enum status complain(const struct st_error *error);
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes a help text or the like to standard output. */
enum status show(void (*write)(FILE *file, const void *context), const void *context);

bool use_color(unsigned color, int fd);

/* How a report for people is written to this file descriptor: in color and as wide as a terminal,
 * if it is one. COLUMNS in the environment says how wide it may be, wherever it goes. */
struct st_text_style text_style(const struct common_values *common, int fd);

/* A trace on its way through a command, with progress on standard error. */
struct reading {
    struct st_trace *trace;
    struct progress *progress; /* NULL: none is shown */
};

int reading_open(struct reading *reading, const char *path, unsigned flags, bool quiet,
                 struct st_error *error);

/* Like st_trace_next. *first becomes the number of the first event. At the end and after an error
 * no progress line is left. */
long reading_next(struct reading *reading, struct st_event **events, uint64_t *first,
                  struct st_error *error);

/* No progress line from here on: it would mix with what is printed while reading. */
void reading_hush(struct reading *reading);

/* To be called when reading is over, before results or errors are printed. `good`: it went well,
 * so warns of what was repaired or cut off. */
void reading_end(struct reading *reading, bool good);
void reading_close(struct reading *reading);

#endif
