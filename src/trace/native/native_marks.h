/* Chunks that mark some of the events of the chunk behind them: as atomic, as joined to others. */
#ifndef SERIATIM_TRACE_NATIVE_NATIVE_MARKS_H
#define SERIATIM_TRACE_NATIVE_NATIVE_MARKS_H

#include "trace/event.h"

#include <stddef.h>

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
