/* RAPID's CSV: a column for each thread, and in each line one event, in the column of its thread:
 *
 *     r(x),,
 *     ,w(x),
 *     fork(T2),,
 *
 * The thread of the first column is T0. There are no locations. enter and exit, or begin and end,
 * are those of blocks, start is another word for fork, and sync(x) is a read and a write of x that
 * hold a lock of its own. */
#include "trace/foreign/foreign.h"

#include "base/memory.h"
#include "trace/variable_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SYNC = ST_OP_COUNT, MOST_EVENTS = 4 };

static const struct word {
    const char *text;
    int op; /* enum st_op, or SYNC */
} words[] = {{"r", ST_READ},      {"w", ST_WRITE},   {"acq", ST_ACQUIRE}, {"rel", ST_RELEASE},
             {"fork", ST_FORK},   {"join", ST_JOIN}, {"enter", ST_BEGIN}, {"exit", ST_END},
             {"begin", ST_BEGIN}, {"end", ST_END},   {"start", ST_FORK},  {"sync", SYNC}};

/* ---- reading ---- */

struct csv_reader {
    struct st_text_lines lines;
    struct st_symbols *symbols;
    uint32_t *threads; /* by column, plus 1: 0 is not known */
    size_t thread_capacity;
    struct st_event waiting[MOST_EVENTS]; /* of a line that is several events */
    size_t waiting_count, waiting_at;
};

static void *csv_open(struct st_input *input, struct st_symbols *symbols, struct st_error *error) {
    (void)error;
    struct csv_reader *reader = st_alloc(1, sizeof *reader);
    reader->lines.input = input;
    reader->symbols = symbols;
    return reader;
}

static void csv_close(void *state) {
    struct csv_reader *reader = state;
    free(reader->threads);
    free(reader);
}

static int fail_too_many(const struct csv_reader *reader, struct st_error *error) {
    return st_text_lines_fail(&reader->lines, "more than 4294967294 different names of one kind",
                              error);
}

/* The thread of a column, or ST_NAMES_FULL. */
static uint32_t thread_of(struct csv_reader *reader, size_t column) {
    char name[24];
    st_reserve(&reader->threads, &reader->thread_capacity, column + 1);
    if (!reader->threads[column]) {
        int length = snprintf(name, sizeof name, "T%zu", column);
        uint32_t number = st_names_add(&reader->symbols->threads, name, (size_t)length);
        if (number == ST_NAMES_FULL)
            return number;
        reader->threads[column] = number + 1;
    }
    return reader->threads[column] - 1;
}

/* The column that is not empty, of which there must be one. */
static int find_column(struct csv_reader *reader, size_t *column, const char **text, size_t *length,
                       struct st_error *error) {
    const struct st_text_lines *lines = &reader->lines;
    const char *at = lines->text, *end = lines->text + lines->length;
    *column = 0;
    for (; at < end && *at == ','; at++)
        ++*column;
    const char *stop = memchr(at, ',', (size_t)(end - at));
    stop = stop ? stop : end;
    *text = at;
    *length = (size_t)(stop - at);
    for (; stop < end; stop++)
        if (*stop != ',')
            return st_text_lines_fail(lines, "several columns are filled", error);
    return *length ? 0 : st_text_lines_fail(lines, "no column is filled", error);
}

static const struct word *find_word(const char *text, size_t length) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (length == strlen(words[i].text) && memcmp(text, words[i].text, length) == 0)
            return &words[i];
    return NULL;
}

static bool add_event(struct csv_reader *reader, uint32_t thread, enum st_op op, const char *name,
                      size_t length) {
    struct st_event event = st_event_make(thread, ST_NO_NAME, 0, op);
    event.loc = st_location_add(reader->symbols, "", 0);
    if (!st_foreign_target(reader->symbols, &event, name, length))
        return false;
    reader->waiting[reader->waiting_count++] = event;
    return true;
}

/* A lock for the variable, a read and a write of it. */
static bool add_sync(struct csv_reader *reader, uint32_t thread, const char *name, size_t length) {
    char *lock = st_alloc(length + 8, 1);
    int lock_length = snprintf(lock, length + 8, "sync:%.*s", (int)length, name);
    bool good = add_event(reader, thread, ST_ACQUIRE, lock, (size_t)lock_length) &&
                add_event(reader, thread, ST_READ, name, length) &&
                add_event(reader, thread, ST_WRITE, name, length) &&
                add_event(reader, thread, ST_RELEASE, lock, (size_t)lock_length);
    free(lock);
    return good;
}

/* Makes the events of a line. */
static int read_line(struct csv_reader *reader, struct st_error *error) {
    const char *text, *bracket;
    size_t column, length;
    if (find_column(reader, &column, &text, &length, error) < 0)
        return -1;
    bracket = memchr(text, '(', length);
    const struct word *word = bracket ? find_word(text, (size_t)(bracket - text)) : NULL;
    if (!word)
        return st_text_lines_fail(&reader->lines, "unknown operation", error);
    const char *name = bracket + 1;
    if (text[length - 1] != ')' || text + length - 1 == name)
        return st_text_lines_fail(&reader->lines, "the operand is missing", error);
    size_t name_length = (size_t)(text + length - 1 - name);
    uint32_t thread = thread_of(reader, column);
    reader->waiting_count = reader->waiting_at = 0;
    bool good =
        thread != ST_NAMES_FULL &&
        (word->op == SYNC ? add_sync(reader, thread, name, name_length)
                          : add_event(reader, thread, (enum st_op)word->op, name, name_length));
    return good ? 0 : fail_too_many(reader, error);
}

static long csv_next(void *state, struct st_event *events, size_t capacity,
                     struct st_error *error) {
    struct csv_reader *reader = state;
    size_t count = 0;
    while (count < capacity) {
        if (reader->waiting_at < reader->waiting_count) {
            events[count++] = reader->waiting[reader->waiting_at++];
            continue;
        }
        int more = st_text_lines_next(&reader->lines, error);
        if (more == 0)
            break;
        if (more < 0 || (reader->lines.length && read_line(reader, error) < 0))
            return -1;
    }
    return (long)count;
}

static bool csv_truncated(const void *state) {
    (void)state;
    return false;
}

const struct st_format st_csv_format = {.name = "csv",
                                        .open = csv_open,
                                        .next = csv_next,
                                        .truncated = csv_truncated,
                                        .close = csv_close};

/* ---- writing ---- */

/* Thread number i of the symbols has column i, and is called Ti. */
struct csv_writer {
    FILE *file;
    const char *file_name;
    const struct st_symbols *symbols;
    struct st_variable_names variables;
    uint64_t written;
};

static void *csv_open_writer(FILE *file, const char *file_name, const struct st_symbols *symbols) {
    struct csv_writer *writer = st_alloc(1, sizeof *writer);
    *writer = (struct csv_writer){.file = file, .file_name = file_name, .symbols = symbols};
    st_variable_names_init(&writer->variables);
    return writer;
}

static void csv_close_writer(void *state) {
    struct csv_writer *writer = state;
    st_variable_names_free(&writer->variables);
    free(writer);
}

static int csv_write_event(struct csv_writer *writer, const struct st_event *event,
                           struct st_error *error) {
    enum st_op op = (enum st_op)event->written;
    const char *target = st_target_name(writer->symbols, op, event->target), *word = NULL;
    for (size_t i = 0; !word && i < sizeof words / sizeof *words; i++)
        word = words[i].op == (int)op ? words[i].text : NULL;
    if (!word)
        return st_foreign_refuse(writer->file_name, "CSV", "operation", st_op_word(op),
                                 writer->written + 1, error);
    if (strpbrk(target, ", \t\r\n"))
        return st_foreign_refuse(writer->file_name, "CSV", "name", target, writer->written + 1,
                                 error);
    for (uint32_t column = 0; column < event->thread; column++)
        putc_unlocked(',', writer->file);
    uint32_t nth = st_variable_names_nth(&writer->variables, event);
    if (op == ST_FORK || op == ST_JOIN)
        fprintf(writer->file, "%s(T%" PRIu32 ")\n", word, event->target);
    else if (nth > 1)
        fprintf(writer->file, "%s(%s#%" PRIu32 ")\n", word, target, nth);
    else
        fprintf(writer->file, "%s(%s)\n", word, *target ? target : "-");
    writer->written++;
    return 0;
}

static int csv_flush(void *state, struct st_error *error) {
    struct csv_writer *writer = state;
    fflush(writer->file);
    if (!ferror(writer->file))
        return 0;
    return st_fail(error, writer->file_name, ST_AT_FILE, 0, "cannot write: %s", strerror(errno));
}

static int csv_write(void *state, const struct st_event *events, size_t count,
                     struct st_error *error) {
    struct csv_writer *writer = state;
    st_variable_names_update(&writer->variables, writer->symbols);
    for (size_t i = 0; i < count; i++)
        if (events[i].op != ST_DROPPED && csv_write_event(writer, &events[i], error) < 0)
            return -1;
    return csv_flush(state, error);
}

static int csv_finish(void *state, bool truncated, struct st_error *error) {
    (void)truncated; /* text has no place to say so */
    return csv_flush(state, error);
}

const struct st_writer_format st_csv_writer = {.name = "csv",
                                               .open = csv_open_writer,
                                               .write = csv_write,
                                               .flush = csv_flush,
                                               .finish = csv_finish,
                                               .close = csv_close_writer};
