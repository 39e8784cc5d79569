/* Names of variables for text, where a variable is its name. A recording can have several of one
 * name: blocks of memory that came from the same line. All but the first get their count behind the
 * name, "buffer #2", or else they would be one variable to whoever reads the text. */
#ifndef SERIATIM_TRACE_VARIABLE_NAMES_H
#define SERIATIM_TRACE_VARIABLE_NAMES_H

#include "trace/symbols.h"

struct st_variable_names {
    struct st_names different; /* names */
    uint32_t *counts;          /* by number in `different`: how many variables have this name */
    size_t count_capacity;
    uint32_t *nth; /* by variable: which one of those with its name it is, from 1 */
    size_t nth_capacity, known;
};

void st_variable_names_init(struct st_variable_names *names);
void st_variable_names_free(struct st_variable_names *names);

/* Counts the variables that have come since the last time. */
void st_variable_names_update(struct st_variable_names *names, const struct st_symbols *symbols);

/* Which one of those with its name the target is: 1 for all that are no variables, since their
 * names differ. */
static inline uint32_t st_variable_names_nth(const struct st_variable_names *names,
                                             const struct st_event *event) {
    bool variable = event->written == ST_READ || event->written == ST_WRITE;
    return variable && event->target != ST_NO_NAME ? names->nth[event->target] : 1;
}

#endif
