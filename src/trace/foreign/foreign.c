#include "trace/foreign/foreign.h"

#include <string.h>

enum { LONGEST_LINE = 1024 * 1024 };

/* ---- lines ---- */

int st_text_lines_fail(const struct st_text_lines *lines, const char *cause,
                       struct st_error *error) {
    char quoted[80];
    st_quote(quoted, sizeof quoted, lines->text, lines->length);
    return st_fail(error, lines->input->name, ST_AT_LINE, lines->number, "%s in %s", cause, quoted);
}

/* The length of the next line, read to its end; -1 with an error. */
static long find_end(struct st_text_lines *lines, struct st_error *error) {
    struct st_input *input = lines->input;
    size_t searched = 0;
    for (;;) {
        size_t available = st_input_available(input);
        const char *text = st_input_bytes(input);
        const char *end = memchr(text + searched, '\n', available - searched);
        if (end || input->at_end)
            return end ? end - text : (long)available;
        if (available > LONGEST_LINE)
            return st_fail(error, input->name, ST_AT_LINE, lines->number + 1,
                           "line is longer than %d bytes", LONGEST_LINE);
        searched = available;
        if (st_input_fill(input, available + 1, error) < 0)
            return -1;
    }
}

int st_text_lines_next(struct st_text_lines *lines, struct st_error *error) {
    struct st_input *input = lines->input;
    long length = find_end(lines, error);
    if (length < 0)
        return -1;
    if (input->at_end && st_input_available(input) == 0)
        return 0;
    lines->number++;
    lines->text = st_input_bytes(input);
    lines->length = (size_t)length;
    bool has_end = lines->length < st_input_available(input);
    st_input_consume(input, lines->length + has_end);
    if (lines->length && lines->text[lines->length - 1] == '\r')
        lines->length--;
    if (memchr(lines->text, 0, lines->length))
        return st_text_lines_fail(lines, "zero byte", error);
    if (lines->length > LONGEST_LINE)
        return st_fail(error, input->name, ST_AT_LINE, lines->number,
                       "line is longer than %d bytes", LONGEST_LINE);
    return 1;
}

/* ---- names ---- */

bool st_foreign_target(struct st_symbols *symbols, struct st_event *event, const char *text,
                       size_t length) {
    struct st_names *names = st_symbols_of(symbols, (enum st_op)event->written);
    event->target = st_names_add(names, text, length);
    return event->target != ST_NAMES_FULL;
}

int st_foreign_refuse(const char *file, const char *what, const char *part, const char *text,
                      uint64_t event, struct st_error *error) {
    char quoted[80];
    st_quote(quoted, sizeof quoted, text, strlen(text));
    return st_fail(error, file, ST_AT_EVENT, event,
                   "%s cannot hold the %s %s; use the native format", what, part, quoted);
}

/* ---- which format is it? ---- */

static bool starts_with(const struct st_input *input, const char *text) {
    size_t length = strlen(text);
    return st_input_available(input) >= length && memcmp(st_input_bytes(input), text, length) == 0;
}

/* Reads until the first line is there. */
static int read_line(struct st_input *input, struct st_error *error) {
    for (;;) {
        size_t available = st_input_available(input);
        if (input->at_end || available > LONGEST_LINE ||
            memchr(st_input_bytes(input), '\n', available))
            return 0;
        if (st_input_fill(input, available + 1, error) < 0)
            return -1;
    }
}

/* Commas, an operation with its operand, and commas, but no bars, which STD text has. */
static bool is_csv_line(const struct st_input *input) {
    static const char *const words[] = {"acq(",  "rel(",  "r(",     "w(",    "start(", "fork(",
                                        "join(", "sync(", "enter(", "exit(", "begin(", "end("};
    const char *text = st_input_bytes(input);
    size_t length = st_input_available(input);
    const char *end = memchr(text, '\n', length);
    length = end ? (size_t)(end - text) : length;
    if (memchr(text, '|', length))
        return false;
    while (length && *text == ',') {
        text++;
        length--;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (length > strlen(words[i]) && memcmp(text, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

/* A binary trace has at most 1024 threads, which is its first number, in two bytes with the high
 * one first. No text starts like that. */
static bool may_be_rapidbin(const struct st_input *input) {
    return (unsigned char)*st_input_bytes(input) <= 4;
}

enum { RAPIDBIN_HEADER = 18 };

/* At least one thread, and no number is negative. */
static bool is_rapidbin_header(const struct st_input *input) {
    const unsigned char *bytes = (const unsigned char *)st_input_bytes(input);
    unsigned threads = bytes[0] * 256u + bytes[1];
    return st_input_available(input) >= RAPIDBIN_HEADER && threads >= 1 && threads <= 1024 &&
           bytes[2] < 0x80 && bytes[6] < 0x80 && bytes[10] < 0x80;
}

static bool may_be_csv(const struct st_input *input) {
    return memchr(",arwsfjeb", *st_input_bytes(input), 9) != NULL;
}

const struct st_format *st_foreign_detect(struct st_input *input, bool *failed,
                                          struct st_error *error) {
    *failed = false;
    if (starts_with(input, "@ ") || starts_with(input, "@\t") || starts_with(input, "[main: ") ||
        starts_with(input, "[RR: "))
        return &st_roadrunner_format;
    if (may_be_rapidbin(input)) {
        *failed = st_input_fill(input, RAPIDBIN_HEADER, error) < 0;
        return !*failed && is_rapidbin_header(input) ? &st_rapidbin_format : NULL;
    }
    if (!may_be_csv(input))
        return NULL;
    *failed = read_line(input, error) < 0;
    return !*failed && is_csv_line(input) ? &st_csv_format : NULL;
}

const struct st_writer_format *st_writer_find(const char *name) {
    static const struct st_writer_format *const writers[] = {&st_std_writer, &st_native_writer,
                                                             &st_roadrunner_writer, &st_csv_writer,
                                                             &st_rapidbin_writer};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        if (strcmp(name, writers[i]->name) == 0)
            return writers[i];
    return NULL;
}
