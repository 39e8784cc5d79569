/* Writing STD text (docs/trace-format.md). */
#include "trace/format.h"

#include "base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* In text a variable is its name, and a recording can have several of one name: blocks of memory
 * that came from the same line. All but the first are written with their count behind the name,
 * "buffer #2", or else they would be one variable to whoever reads the text. */
struct std_writer {
    FILE *file;
    const char *file_name;
    const struct st_symbols *symbols;
    uint64_t written;
    struct st_names variables; /* the different names of variables */
    uint32_t *counts;          /* by number in `variables`: how many have this name */
    size_t count_capacity;
    uint32_t *nth; /* by variable: which one of those with its name it is, from 1 */
    size_t nth_capacity, known;
};

static void *std_open(FILE *file, const char *file_name, const struct st_symbols *symbols) {
    struct std_writer *writer = st_alloc(1, sizeof *writer);
    writer->file = file;
    writer->file_name = file_name;
    writer->symbols = symbols;
    st_names_init(&writer->variables);
    return writer;
}

static void std_close(void *state) {
    struct std_writer *writer = state;
    st_names_free(&writer->variables);
    free(writer->counts);
    free(writer->nth);
    free(writer);
}

static void count_new_variables(struct std_writer *writer) {
    const struct st_names *names = &writer->symbols->variables;
    st_reserve(&writer->nth, &writer->nth_capacity, names->count);
    for (; writer->known < names->count; writer->known++) {
        uint32_t i = (uint32_t)writer->known;
        uint32_t name =
            st_names_add(&writer->variables, st_name(names, i), st_name_length(names, i));
        st_reserve(&writer->counts, &writer->count_capacity, (size_t)name + 1);
        writer->nth[i] = ++writer->counts[name];
    }
}

/* 1 for all that are no variables: their names differ. */
static uint32_t nth_of_name(const struct std_writer *writer, const struct st_event *event) {
    bool variable = event->written == ST_READ || event->written == ST_WRITE;
    return variable && event->target != ST_NO_NAME ? writer->nth[event->target] : 1;
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
        uint32_t nth = nth_of_name(writer, event);
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
    count_new_variables(writer);
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

const struct st_writer_format *st_writer_find(const char *name) {
    if (strcmp(name, st_std_writer.name) == 0)
        return &st_std_writer;
    if (strcmp(name, st_native_writer.name) == 0)
        return &st_native_writer;
    return NULL;
}
