/* What is known of locations (trace/contexts.h), from the columns of an EVNT chunk. */
#ifndef SERIATIM_TRACE_NATIVE_NATIVE_CONTEXTS_H
#define SERIATIM_TRACE_NATIVE_NATIVE_CONTEXTS_H

#include "trace/native/native_columns.h"

/* The decoded columns of contexts; NULL until there is one. */
struct native_rows {
    uint32_t *columns[COLUMN_COUNT - COLUMN_CONTEXTS];
};
void native_rows_free(struct native_rows *rows);

/* Enters the frames and sites of a chunk, whose names are there by now. NULL, or what is wrong with
 * them. */
const char *native_take_contexts(struct native_rows *rows, struct native_column *columns,
                                 struct st_symbols *symbols);

#endif
