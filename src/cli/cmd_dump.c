/* seriatim dump: prints a trace, or a part of it, as STD text. */
#define _GNU_SOURCE /* fopencookie */
#include "base/output.h"
#include "cli/common_options.h"
#include "cli/messages.h"
#include "report/text/glyphs.h"
#include "trace/format.h"

#include <inttypes.h>
#include <string.h>

struct values {
    struct common_values common;
    const char *events;
    bool numbers, values, repair;
    const char *output;
};

/* Event numbers, both included. */
struct range {
    uint64_t from, to;
};

/* "A-B", "A-", "-B" or "A". */
static int parse_range(const char *text, struct range *range, struct st_error *error) {
    *range = (struct range){1, UINT64_MAX};
    if (!text)
        return 0;
    size_t length = strlen(text), left = strcspn(text, "-");
    const char *right = text + left + (left < length);
    bool good = left == 0 || st_parse_number(text, left, &range->from);
    if (left == length)
        range->to = range->from;
    else if (*right)
        good = good && st_parse_number(right, strlen(right), &range->to);
    if (good && range->from >= 1 && range->from <= range->to && strcmp(text, "-") != 0)
        return 0;
    char quoted[80];
    return st_fail(error, "dump", ST_AT_FILE, 0,
                   "option '--events' needs event numbers such as 10-20, 10- or 10, not %s",
                   st_quote(quoted, sizeof quoted, text, length));
}

struct dump {
    const struct values *values;
    struct range range;
    struct st_reading reading;
    struct st_output output;
    FILE *file; /* the output, or on a terminal what makes it fit for that */
    void *writer;
};

/* ---- on a terminal ---- */

static size_t part_length(const char *text, size_t size) {
    size_t length = 0;
    while (length < size && text[length] != '\n' && text[length] != '\t')
        length++;
    return length;
}

/* Names are written as they are, so that the text can be read again. A terminal must not obey
 * them. */
static ssize_t write_safely(void *terminal, const char *text, size_t size) {
    for (size_t at = 0; at < size; at++) {
        size_t length = part_length(text + at, size - at);
        st_put_safely(terminal, text + at, length, SIZE_MAX);
        at += length;
        if (at < size)
            fputc(text[at], terminal);
    }
    return (ssize_t)size;
}

static int open_file(struct dump *dump, struct st_error *error) {
    enum { LINE = 1 << 16 };
    dump->file = dump->output.file;
    if (!st_output_is_terminal(&dump->output))
        return 0;
    dump->file =
        fopencookie(dump->output.file, "w", (cookie_io_functions_t){.write = write_safely});
    if (!dump->file)
        return st_fail(error, dump->output.name, ST_AT_FILE, 0, "cannot write: out of memory");
    setvbuf(dump->file, NULL, _IOLBF, LINE);
    return 0;
}

static void close_file(struct dump *dump) {
    if (dump->file != dump->output.file)
        fclose(dump->file);
}

/* ---- events ---- */

static void put_value(FILE *file, uint64_t value, bool known) {
    if (known)
        fprintf(file, "%" PRIu64, value);
    else
        fputc('?', file);
}

/* What a read has read, and what a write has found and left. */
static void put_values(FILE *file, const struct st_event *event,
                       const struct st_access_value *value) {
    bool held = value && value->known & ST_HELD_KNOWN, left = value && value->known & ST_LEFT_KNOWN;
    if (event->written == ST_READ || event->written == ST_WRITE)
        put_value(file, held ? value->held : 0, held);
    if (event->written == ST_WRITE) {
        fputs(" -> ", file);
        put_value(file, left ? value->left : 0, left);
    }
    fputc('\t', file);
}

/* `values`: of the events, or NULL. */
static int write_with_columns(struct dump *dump, const struct st_event *events,
                              const struct st_access_value *values, size_t count, uint64_t first,
                              struct st_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (events[i].op == ST_DROPPED)
            continue;
        if (dump->values->numbers)
            fprintf(dump->file, "%" PRIu64 "\t", first + i);
        if (dump->values->values)
            put_values(dump->file, &events[i], values ? &values[i] : NULL);
        if (st_std_writer.write(dump->writer, &events[i], 1, error) < 0)
            return -1;
    }
    return 0;
}

/* Writes those of the events that are in the range. */
static int write_some(struct dump *dump, const struct st_event *events, size_t count,
                      uint64_t first, struct st_error *error) {
    uint64_t last = first + count - 1;
    if (last < dump->range.from)
        return 0;
    size_t skip = first < dump->range.from ? (size_t)(dump->range.from - first) : 0;
    if (last > dump->range.to)
        count -= (size_t)(last - dump->range.to);
    const struct st_access_value *values = st_trace_values(dump->reading.trace);
    if (dump->values->numbers || dump->values->values)
        return write_with_columns(dump, events + skip, values ? values + skip : NULL, count - skip,
                                  first + skip, error);
    return st_std_writer.write(dump->writer, events + skip, count - skip, error);
}

static int copy_events(struct dump *dump, struct st_error *error) {
    struct st_event *events;
    uint64_t first;
    long count = 0;
    while (st_trace_facts(dump->reading.trace)->events < dump->range.to &&
           (count = st_reading_next(&dump->reading, &events, &first, error)) > 0)
        if (write_some(dump, events, (size_t)count, first, error) < 0 ||
            st_output_check(&dump->output, error) < 0)
            return -1;
    uint64_t last = st_trace_facts(dump->reading.trace)->events;
    if (count == 0 && last < dump->range.from)
        return st_fail(error, st_trace_name(dump->reading.trace), ST_AT_FILE, 0,
                       "has only %" PRIu64 " event%s", last, plural(last));
    return count < 0 ? -1 : st_std_writer.finish(dump->writer, false, error);
}

static int dump_events(struct dump *dump, struct st_error *error) {
    int result = open_file(dump, error);
    if (st_output_is_terminal(&dump->output))
        hide_progress(&dump->reading);
    if (result == 0) {
        dump->writer = st_std_writer.open(dump->file, dump->output.name,
                                          st_trace_symbols(dump->reading.trace));
        result = copy_events(dump, error);
        st_std_writer.close(dump->writer);
        close_file(dump);
    }
    end_reading(&dump->reading, result == 0);
    if (result == 0)
        return st_output_finish(&dump->output, error);
    st_output_abandon(&dump->output);
    return -1;
}

static enum status run(const void *values, const char *const *operands) {
    struct dump dump = {.values = values};
    struct st_error error;
    if (parse_range(dump.values->events, &dump.range, &error) < 0 ||
        open_reading(&dump.reading, operands[0],
                     (dump.values->repair ? ST_TRACE_REPAIR : 0) | ST_TRACE_VALUES,
                     dump.values->common.quiet, &error) < 0)
        return complain(&error);
    int result = st_output_open(&dump.output, dump.values->output, operands, &error);
    if (result == 0)
        result = dump_events(&dump, &error);
    st_reading_close(&dump.reading);
    return result < 0 ? complain(&error) : STATUS_CLEAN;
}

static const struct st_option options[] = {
    {.name = "events",
     .kind = ST_TEXT,
     .offset = offsetof(struct values, events),
     .value = "A-B",
     .help = "print only events A to B; A- starts at A, -B ends at B, A is one event"},
    {.name = "numbers",
     .letter = 'n',
     .kind = ST_FLAG,
     .offset = offsetof(struct values, numbers),
     .help = "print the number of each event and a tab before it"},
    {.name = "values",
     .kind = ST_FLAG,
     .offset = offsetof(struct values, values),
     .help = "print before each event, and a tab, what a read has read, and what a write has found "
             "and left; ? where that is not known (record --values)"},
    REPAIR_OPTION(struct values),
    OUTPUT_OPTION(struct values),
    COMMON_OPTIONS,
};

const struct command cmd_dump = {
    .name = "dump",
    .operands = "TRACE",
    .summary = "print the events of a trace as STD text",
    .description =
        "Prints the events of a trace as STD text, one per line. TRACE is a file in any\n"
        "format, or - for standard input.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
