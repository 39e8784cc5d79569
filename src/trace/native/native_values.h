/* Values of accesses: vALU chunks, each about the EVNT chunk behind it. */
#ifndef SERIATIM_TRACE_NATIVE_NATIVE_VALUES_H
#define SERIATIM_TRACE_NATIVE_NATIVE_VALUES_H

#include "trace/native/native_columns.h"
#include "trace/values.h"

#include <stdbool.h>

/* One for each event of a chunk; of the next chunk while `wait`. */
struct native_values {
    struct st_access_value *list;
    size_t capacity;
    uint32_t events; /* so many have one; 0 when there are none */
    bool wait;
};

/* Takes the payload of a chunk. NULL, or what is wrong with it. */
const char *native_values_take(struct native_values *values, const unsigned char *payload,
                               size_t size);

/* A chunk of so many events is here. Are the values that came before them theirs, or are there
 * none? */
bool native_values_fit(struct native_values *values, uint32_t events);

/* What stands before the columns in a chunk of values for so many events. */
static inline size_t native_values_head(uint32_t events) {
    return VALUES_HEAD_SIZE + 2 * ((events + (size_t)7) / 8) + 2 * COLUMN_HEAD_SIZE;
}

#endif
