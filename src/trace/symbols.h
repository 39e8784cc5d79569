/* The names behind the numbers of a trace's events. */
#ifndef SERIATIM_TRACE_SYMBOLS_H
#define SERIATIM_TRACE_SYMBOLS_H

#include "base/names.h"
#include "trace/contexts.h"
#include "trace/event.h"

/* Locations may have the same name when contexts are kept. */
struct st_symbols {
    struct st_names threads, variables, locks, blocks, locations, channels;
    struct st_contexts contexts;
};

void st_symbols_init(struct st_symbols *symbols);
void st_symbols_free(struct st_symbols *symbols);
size_t st_symbols_memory(const struct st_symbols *symbols);

/* The table in which an operation's target has its name. */
struct st_names *st_symbols_of(struct st_symbols *symbols, enum st_op op);
const struct st_names *st_symbols_of_const(const struct st_symbols *symbols, enum st_op op);

/* The name of a target, "" for ST_NO_NAME. */
const char *st_target_name(const struct st_symbols *symbols, enum st_op op, uint32_t target);

/* The location of an event for text[0 .. length): a number when it is a plain decimal number that
 * fits, otherwise a name. UINT64_MAX when there are too many names. */
uint64_t st_location_add(struct st_symbols *symbols, const char *text, size_t length);

/* The same for a text with 8 readable bytes behind its first, whatever its length. */
uint64_t st_location_add_padded(struct st_symbols *symbols, const char *text, size_t length);

/* Adds a site, and the location that it is. UINT32_MAX when there are too many. */
uint32_t st_symbols_site(struct st_symbols *symbols, struct st_site_row row);

/* Writes the location as text; the result is `buffer` or a name that lives in symbols. */
enum { ST_LOCATION_SIZE = 24 };
const char *st_location_text(const struct st_symbols *symbols, uint64_t loc,
                             char buffer[ST_LOCATION_SIZE]);

#endif
