/* Writing STD text (docs/trace-format.md). */
#include "trace/format.h"

#include "base/memory.h"
#include "trace/variable_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct std_writer {
    FILE *file;
    const char *file_name;
    const struct st_symbols *symbols;
    uint64_t written;
    struct st_variable_names variables;
};

static void *std_open(FILE *file, const char *file_name, const struct st_symbols *symbols) {
    struct std_writer *writer = st_alloc(1, sizeof *writer);
    writer->file = file;
    writer->file_name = file_name;
    writer->symbols = symbols;
    st_variable_names_init(&writer->variables);
    return writer;
}

static void std_close(void *state) {
    struct std_writer *writer = state;
    st_variable_names_free(&writer->variables);
    free(writer);
}

static int fail_name(const struct std_writer *writer, const char *what, const char *name,
                     struct st_error *error) {
    char quoted[80];
    st_quote(quoted, sizeof quoted, name, strlen(name));
    return st_fail(error, writer->file_name, ST_AT_EVENT, writer->written + 1,
                   "STD text cannot hold the %s %s; use the native format", what, quoted);
}

static bool has_line_end(const char *text) {
    size_t length = strlen(text);
    return strchr(text, '\n') || (length && text[length - 1] == '\r');
}

/* What reads back as the same event; see find_op_end in std_reader.c. */
static int check_names(const struct std_writer *writer, const char *thread, enum st_op op,
                       const char *target, const char *loc, struct st_error *error) {
    bool needs_target = op != ST_BEGIN && op != ST_END;
    if (!*thread || strpbrk(thread, "|\n"))
        return fail_name(writer, "thread name", thread, error);
    if (strchr(target, '\n') || strstr(target, ")|") || (needs_target && !*target))
        return fail_name(writer, "name", target, error);
    if (has_line_end(loc))
        return fail_name(writer, "location", loc, error);
    return 0;
}

static int write_event(struct std_writer *writer, const struct st_event *event,
                       struct st_error *error) {
    const struct st_symbols *symbols = writer->symbols;
    enum st_op op = (enum st_op)event->written;
    char buffer[ST_LOCATION_SIZE];
    const char *thread = st_name(&symbols->threads, event->thread);
    const char *target = st_target_name(symbols, op, event->target);
    const char *loc = st_location_text(symbols, event->loc, buffer);
    if (check_names(writer, thread, op, target, loc, error) < 0)
        return -1;
    FILE *file = writer->file;
    fputs(thread, file);
    putc_unlocked('|', file);
    fputs(st_op_std(op), file);
    if (*target) {
        putc_unlocked('(', file);
        fputs(target, file);
        uint32_t nth = st_variable_names_nth(&writer->variables, event);
        if (nth > 1)
            fprintf(file, " #%" PRIu32, nth);
        putc_unlocked(')', file);
    }
    putc_unlocked('|', file);
    fputs(loc, file);
    putc_unlocked('\n', file);
    writer->written++;
    return 0;
}

static int check_file(const struct std_writer *writer, struct st_error *error) {
    if (!ferror(writer->file))
        return 0;
    return st_fail(error, writer->file_name, ST_AT_FILE, 0, "cannot write: %s", strerror(errno));
}

static int std_write(void *state, const struct st_event *events, size_t count,
                     struct st_error *error) {
    struct std_writer *writer = state;
    st_variable_names_update(&writer->variables, writer->symbols);
    for (size_t i = 0; i < count; i++)
        if (events[i].op != ST_DROPPED && write_event(writer, &events[i], error) < 0)
            return -1;
    return check_file(writer, error);
}

static int std_flush(void *state, struct st_error *error) {
    struct std_writer *writer = state;
    fflush(writer->file);
    return check_file(writer, error);
}

static int std_finish(void *state, bool truncated, struct st_error *error) {
    (void)truncated; /* text has no place to say so */
    return std_flush(state, error);
}

const struct st_writer_format st_std_writer = {
    .name = "std",
    .open = std_open,
    .write = std_write,
    .flush = std_flush,
    .finish = std_finish,
    .close = std_close,
};
