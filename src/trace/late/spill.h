/* Rows that may be more than fit into memory: they lie in a temporary file without a name, which
 * the system keeps in memory as far as there is room. */
#ifndef SERIATIM_TRACE_LATE_SPILL_H
#define SERIATIM_TRACE_LATE_SPILL_H

#include "base/error.h"

#include <stddef.h>
#include <stdio.h>

/* All zero is empty. */
struct st_spill {
    FILE *file;
    void *rows;
    size_t count, capacity, size; /* of a row */
};

/* Room for one more row of that size, always the same: its place, which is valid until the next
 * call; NULL with an error. */
void *st_spill_add(struct st_spill *spill, size_t size, struct st_error *error);
void st_spill_free(struct st_spill *spill);

#endif
