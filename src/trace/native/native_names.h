/* The names that are new in a chunk, each with a zero byte behind it. */
#ifndef SERIATIM_TRACE_NATIVE_NATIVE_NAMES_H
#define SERIATIM_TRACE_NATIVE_NATIVE_NAMES_H

#include "trace/native/native_cursor.h"

#include "base/names.h"

/* Enters `count` names, which must be all that the text holds. NULL, or what is wrong with them. */
const char *native_take_names(struct st_names *names, uint32_t count, struct native_cursor text);

/* The same for variables: there may be tens of millions, and nobody looks one up by its name. So it
 * is not checked that none appears twice; if one did, there would be two variables of that name. */
const char *native_take_variables(struct st_names *names, uint32_t count,
                                  struct native_cursor text);

#endif
