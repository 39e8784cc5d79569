/* Writing traces. The caller owns the FILE; a writer only writes to it, in order. */
#ifndef SERIATIM_TRACE_WRITER_H
#define SERIATIM_TRACE_WRITER_H

#include "base/error.h"
#include "trace/symbols.h"

#include <stdio.h>

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

    /* Writes what is still buffered and marks the trace as complete (or as cut, when its source
     * was). Does not close the FILE. */
    int (*finish)(void *writer, bool cut, struct st_error *error);

    void (*close)(void *writer);
};

extern const struct st_writer_format st_std_writer, st_native_writer;

/* The writer with that name, or NULL. */
const struct st_writer_format *st_writer_find(const char *name);

#endif
