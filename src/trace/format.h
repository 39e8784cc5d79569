/* What a trace format offers: a way to read it as a stream of batches and a way to write it.
 *
 * A new format is a new pair of files and a line in trace.c. */
#ifndef SERIATIM_TRACE_FORMAT_H
#define SERIATIM_TRACE_FORMAT_H

#include "base/error.h"
#include "trace/symbols.h"
#include "trace/values.h"

#include <stdio.h>

/* ---- reading ---- */

/* Bytes from a file or a pipe, in order. Invariant: the unread bytes are data[begin .. end), and
 * ST_INPUT_PADDING more bytes can be read behind them (they are zero). */
enum { ST_INPUT_PADDING = 64 };
struct st_input {
    int fd;
    const char *name; /* for messages: the path, or "standard input" */
    char *data;
    size_t begin, end, capacity;
    uint64_t consumed; /* offset in the input of data[begin] */
    uint64_t size;     /* of a regular file, or 0 */
    bool at_end;       /* the operating system has no more */
};

/* Opens a path, or standard input for "-". Directories, missing files and the like are errors. */
int st_input_open(struct st_input *input, const char *path, struct st_error *error);
void st_input_close(struct st_input *input);

/* Reads until at least `want` bytes are unread or the input ends. 0, or -1 with an error. Pointers
 * into data are stale afterwards. */
int st_input_fill(struct st_input *input, size_t want, struct st_error *error);

static inline size_t st_input_available(const struct st_input *input) {
    return input->end - input->begin;
}

static inline const char *st_input_bytes(const struct st_input *input) {
    return input->data + input->begin;
}

static inline void st_input_consume(struct st_input *input, size_t bytes) {
    input->begin += bytes;
    input->consumed += bytes;
}

struct st_format {
    const char *name; /* "std", "native" */

    /* State of a reader that takes its bytes from input (which outlives it) and its names into
     * symbols. NULL with an error when the head of the input is bad. */
    void *(*open)(struct st_input *input, struct st_symbols *symbols, struct st_error *error);

    /* Fills at most `capacity` events, in trace order, with op == written. Returns how many, 0 at
     * the end, or -1 with an error that has a line or an offset. */
    long (*next)(void *reader, struct st_event *events, size_t capacity, struct st_error *error);

    /* The variables whose lives ended before the events that `next` returned last, but after those
     * before: these numbers stand for other variables of the same names from there on. Valid until
     * the next call. NULL: no life ever ends. */
    const struct st_variable_run *(*ended)(const void *reader, size_t *count);

    /* One for each event that `next` returned last, if the symbols want values; NULL: none is
     * known. Valid until the next call. NULL: none ever is. */
    const struct st_access_value *(*values)(const void *reader);

    /* After the end: was the trace truncated (a native file without its last chunk)? */
    bool (*truncated)(const void *reader);

    void (*close)(void *reader);
};

extern const struct st_format st_std_format, st_native_format;

/* Does the input start like a native trace? Looks at `length` bytes at most. */
bool st_native_detect(const char *bytes, size_t length);
enum { ST_NATIVE_MAGIC_SIZE = 8 };

/* Those of other tools (trace/foreign). */
extern const struct st_format st_roadrunner_format, st_csv_format, st_rapidbin_format;

/* The format of another tool that the input is in, by its first bytes, or NULL: none of these. May
 * read more of the input, if its first bytes do not decide. *failed becomes true, with an error, if
 * that fails. */
const struct st_format *st_foreign_detect(struct st_input *input, bool *failed,
                                          struct st_error *error);

/* ---- writing ---- */

/* The caller owns the FILE; a writer only writes to it, in order. */
struct st_writer_format {
    const char *name; /* "std", "native" */

    /* symbols may grow while events are written; what an event refers to must be there by then. */
    void *(*open)(FILE *file, const char *file_name, const struct st_symbols *symbols);

    /* Writes events as they were written in their trace (the field `written`), but leaves out
     * those with op == ST_DROPPED. 0, or -1 with an error (full disk, a name that the format
     * cannot hold). */
    int (*write)(void *writer, const struct st_event *events, size_t count, struct st_error *error);

    /* Writes what is still buffered, so that it can be read whatever happens to this process. */
    int (*flush)(void *writer, struct st_error *error);

    /* Writes what is still buffered and marks the trace as complete, or as truncated when its
     * source was. Does not close the FILE. */
    int (*finish)(void *writer, bool truncated, struct st_error *error);

    void (*close)(void *writer);
};

extern const struct st_writer_format st_std_writer, st_native_writer, st_roadrunner_writer,
    st_csv_writer, st_rapidbin_writer;

/* For the native writer, where the symbols reuse numbers: these variables have ended. Ends the
 * chunk, so it pays to wait until some tens of thousands of events do: st_native_writer_waiting
 * says how many that are, of ST_CHUNK_EVENTS at most. */
int st_native_writer_end(void *writer, const struct st_variable_run *runs, size_t count,
                         struct st_error *error);
uint32_t st_native_writer_waiting(const void *writer);

/* For the native writer: the values of the events that the next call of `write` gets, one each.
 * They must be there until then. */
void st_native_writer_values(void *writer, const struct st_access_value *values);

/* For the native writer: for how many more each of the events stands that the next call of `write`
 * gets, all of them accesses to variables with the next numbers. Not with values. */
enum { ST_LONGEST_RUN = 1 << 20 };
void st_native_writer_runs(void *writer, const uint32_t *runs);

/* The names of the variables below this number are in the file: their texts can be dropped. */
uint32_t st_native_writer_named(const void *writer);

enum { ST_CHUNK_EVENTS = 65536 };

/* The writer with that name, or NULL. */
const struct st_writer_format *st_writer_find(const char *name);

#endif
