/* On which line of a JSON text a value stands: what parsers forget and people want to know. */
#ifndef SERIATIM_BASE_JSON_LINE_H
#define SERIATIM_BASE_JSON_LINE_H

#include <stddef.h>
#include <stdint.h>

/* One step into a value: to a member of an object, or (key is NULL) to an element of an array. */
struct st_json_step {
    const char *key;
    size_t index;
};

/* The line, from 1, of the value that the steps lead to; of the last one on the way that is there.
 * The text must be well-formed JSON. */
uint64_t st_json_line(const char *text, const struct st_json_step *steps, size_t count);

#endif
