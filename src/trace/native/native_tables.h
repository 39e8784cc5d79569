/* What an EVNT chunk adds to the symbols before its events: names, each with a zero byte behind it,
 * and contexts, which are columns. */
#ifndef SERIATIM_TRACE_NATIVE_NATIVE_TABLES_H
#define SERIATIM_TRACE_NATIVE_NATIVE_TABLES_H

#include "trace/native/native_columns.h"
#include "trace/packed_names.h"

/* Enters `count` names, which must be all that the text holds. NULL, or what is wrong with them. */
const char *native_take_names(struct st_names *names, uint32_t count, struct native_cursor text);

/* The same for variables: there may be tens of millions, and nobody looks one up by its name. So it
 * is not checked that none appears twice; if one did, there would be two variables of that name. */
const char *native_take_variables(struct st_names *names, uint32_t count,
                                  struct native_cursor text);

/* The same into the packed names. */
const char *native_pack_variables(struct st_packed_names *packed, struct st_names *names,
                                  uint32_t count, struct native_cursor text);

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
