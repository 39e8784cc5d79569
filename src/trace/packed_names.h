/* Texts by number, compressed: for names of which there are millions, and of which few are ever
 * asked for. */
#ifndef SERIATIM_TRACE_PACKED_NAMES_H
#define SERIATIM_TRACE_PACKED_NAMES_H

#include "trace/symbols.h"

struct st_packed_names;

/* Those of the variables, from now on: there are none yet. */
struct st_packed_names *st_packed_names_new(struct st_symbols *symbols);

/* Adds the next `count` names, each with a zero byte behind it, in `bytes` bytes. What
 * st_target_name was asked for stays unpacked. */
void st_packed_names_add(struct st_packed_names *names, const char *text, size_t bytes,
                         uint32_t count);

/* Adds one that is the same as that with this number. Takes 4 bytes, and as many for each name from
 * the first one of these on. */
void st_packed_names_repeat(struct st_packed_names *names, uint32_t number);

size_t st_packed_names_memory(const struct st_packed_names *names);

#endif
