/* Events from the columns of an EVNT chunk: these are decoded in strips, and a strip of columns is
 * woven into events. */
#ifndef SERIATIM_TRACE_NATIVE_NATIVE_STRIPS_H
#define SERIATIM_TRACE_NATIVE_NATIVE_STRIPS_H

#include "trace/native/native_columns.h"

enum { NATIVE_TARGET_COLUMNS = 5 };

/* Room for the decoded columns. */
struct native_strip {
    const unsigned char *narrow; /* the steps where they lie in the payload, or NULL: in `step` */
    uint32_t step[NATIVE_STRIP];
    uint32_t target[NATIVE_TARGET_COLUMNS * NATIVE_STRIP]; /* for each column NATIVE_STRIP values */
    uint64_t loc[NATIVE_STRIP];
};

/* Every event has a step, a location, and one target in the other columns. Do so many? */
bool native_columns_fit(const struct native_column *columns, uint32_t events);

/* Makes the next n events, NATIVE_STRIP at most. NULL, or what is wrong with one of them. */
const char *native_strip_decode(struct native_strip *strip, struct native_column *columns,
                                const struct st_symbols *symbols, unsigned op_bits,
                                struct st_event *events, size_t n);

#endif
