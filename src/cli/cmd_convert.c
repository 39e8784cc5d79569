/* seriatim convert: writes a trace in another format. */
#include "base/output.h"
#include "cli/common_options.h"
#include "cli/messages.h"
#include "trace/format.h"

#include <string.h>

enum to { TO_BY_SUFFIX, TO_STD, TO_NATIVE, TO_ROADRUNNER, TO_CSV, TO_RAPIDBIN };

struct values {
    struct common_values common;
    unsigned to; /* enum to */
    bool repair;
};

static const char *const to_words[] = {[TO_BY_SUFFIX] = "auto",
                                       [TO_STD] = "std",
                                       [TO_NATIVE] = "native",
                                       [TO_ROADRUNNER] = "roadrunner",
                                       [TO_CSV] = "csv",
                                       [TO_RAPIDBIN] = "rapidbin",
                                       NULL};

static const struct suffix {
    const char *text;
    enum to to;
} suffixes[] = {{".stt", TO_NATIVE},    {".std", TO_STD}, {".txt", TO_STD},
                {".rr", TO_ROADRUNNER}, {".csv", TO_CSV}, {".bin", TO_RAPIDBIN}};

static bool ends_with(const char *text, const char *end) {
    size_t text_length = strlen(text), end_length = strlen(end);
    return text_length >= end_length && strcmp(text + text_length - end_length, end) == 0;
}

/* The format to write, from --to or from the name of the file; NULL with an error. */
static const struct st_writer_format *choose_format(unsigned to, const char *path,
                                                    struct st_error *error) {
    if (to != TO_BY_SUFFIX)
        return st_writer_find(to_words[to]);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (ends_with(path, suffixes[i].text))
            return st_writer_find(to_words[suffixes[i].to]);
    if (strcmp(path, "-") == 0)
        return &st_std_writer;
    st_fail(error, path, ST_AT_FILE, 0,
            "does not end in .stt, .std, .txt, .rr, .csv or .bin; choose the format with --to, as "
            "in --to std or --to native");
    return NULL;
}

/* Text has no mark for the end of a life, and gets none: there each life is a variable. */
static int copy_ends(const struct st_reading *reading, void *writer, struct st_error *error) {
    size_t count;
    const struct st_variable_run *ended = st_trace_ended(reading->trace, &count);
    return count ? st_native_writer_end(writer, ended, count, error) : 0;
}

static int copy_events(struct st_reading *reading, const struct st_writer_format *format,
                       void *writer, const struct st_output *output, struct st_error *error) {
    struct st_event *events;
    uint64_t first;
    long count;
    while ((count = st_reading_next(reading, &events, &first, error)) > 0) {
        if (format == &st_native_writer)
            st_native_writer_values(writer, st_trace_values(reading->trace));
        if (copy_ends(reading, writer, error) < 0 ||
            format->write(writer, events, (size_t)count, error) < 0 ||
            st_output_check(output, error) < 0)
            return -1;
        if (format == &st_native_writer && !st_trace_is_text(reading->trace))
            st_trace_drop_names(reading->trace, st_native_writer_named(writer));
    }
    return count < 0 ? -1 : format->finish(writer, st_trace_truncated(reading->trace), error);
}

static int convert(struct st_reading *reading, const struct st_writer_format *format,
                   struct st_output *output, struct st_error *error) {
    bool native = format == &st_native_writer;
    if ((native || format == &st_rapidbin_writer) && st_output_is_terminal(output)) {
        st_output_abandon(output);
        return st_fail(error, output->name, ST_AT_FILE, 0,
                       "is a terminal, and the %s format is binary; write to a file", format->name);
    }
    if (st_output_is_terminal(output))
        hide_progress(reading);
    void *writer = format->open(output->file, output->name, st_trace_symbols(reading->trace));
    int result = copy_events(reading, format, writer, output, error);
    format->close(writer);
    end_reading(reading, result == 0);
    if (result == 0)
        return st_output_finish(output, error);
    st_output_abandon(output);
    return -1;
}

static enum status run(const void *given, const char *const *operands) {
    const struct values *values = given;
    struct st_reading reading;
    struct st_output output;
    struct st_error error;
    const struct st_writer_format *format = choose_format(values->to, operands[1], &error);
    unsigned flags = (values->repair ? ST_TRACE_REPAIR : 0) |
                     (format == &st_native_writer ? ST_TRACE_LIVES | ST_TRACE_VALUES : 0);
    if (!format || open_reading(&reading, operands[0], flags, values->common.quiet, &error) < 0)
        return complain(&error);
    const char *const inputs[] = {operands[0], NULL};
    int result = st_output_open(&output, operands[1], inputs, &error);
    if (result == 0)
        result = convert(&reading, format, &output, &error);
    st_reading_close(&reading);
    return result < 0 ? complain(&error) : STATUS_CLEAN;
}

static const struct st_option options[] = {
    {.name = "to",
     .kind = ST_CHOICE,
     .offset = offsetof(struct values, to),
     .value = "FORMAT",
     .initial = "auto",
     .choices = to_words,
     .help = "the format to write",
     .note = "auto goes by the name of OUT: .stt is native; .std, .txt and standard output are "
             "std; .rr is roadrunner, .csv csv, .bin rapidbin"},
    REPAIR_OPTION(struct values),
    COMMON_OPTIONS,
};

const struct command cmd_convert = {
    .name = "convert",
    .operands = "IN OUT",
    .summary = "write a trace in another format",
    .description = "Reads the trace IN, in any format, and writes it to OUT. Either may be - for\n"
                   "standard input or output. After an error, OUT is as it was before.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .least_operands = 2,
    .most_operands = 2,
    .run = run,
};
