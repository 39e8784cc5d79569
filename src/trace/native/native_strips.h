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

/* Makes the next n events, NATIVE_STRIP at most. NULL, or what is wrong with one of them.
 * `variables`: so many have names. */
const char *native_strip_decode(struct native_strip *strip, struct native_column *columns,
                                const struct st_symbols *symbols, uint32_t variables,
                                unsigned op_bits, struct st_event *events, size_t n);

/* ---- marks: chunks that mark events of the chunk behind them as atomic, or as joined ---- */

/* A bit for each event of a chunk; of the next chunk while `wait`. */
struct native_marks {
    unsigned char *bits;
    size_t capacity;
    uint32_t events; /* so many have a mark; 0 when there are none */
    bool wait;
};

/* Takes the payload of a chunk of marks. NULL, or what is wrong with it. */
const char *native_marks_take(struct native_marks *marks, const unsigned char *payload,
                              size_t size);

/* A chunk of so many events is here. Are the marks that came before them theirs, or are there none?
 */
bool native_marks_fit(struct native_marks *marks, uint32_t events);

/* Marks these events, the first of which has that place in its chunk. */
void native_marks_put(const struct native_marks *atomic, const struct native_marks *joined,
                      size_t first, struct st_event *events, size_t n);

#endif
