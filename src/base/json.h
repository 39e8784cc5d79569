/* Writing JSON as a stream. The writer puts commas, line breaks and escapes; the caller opens and
 * closes in the right order, and gives a key before each value inside an object.
 *
 * Errors of the FILE are left to its owner. */
#ifndef SERIATIM_BASE_JSON_H
#define SERIATIM_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Invariant: inside `flat` containers (counted from the outermost flat one) nothing breaks lines.
 */
struct st_json {
    FILE *file;
    unsigned depth, flat;
    bool in_page;   /* escapes what could end an element of HTML, too */
    size_t room;    /* in a page: so many bytes may go into its findings */
    bool empty;     /* nothing was written yet in the innermost container */
    bool after_key; /* the next value belongs to a key that was just written */
};

void st_json_start(struct st_json *json, FILE *file);

/* The same for a document inside a script element of an HTML page: on one line, and without a
 * character that means something to a reader of HTML. */
void st_json_start_in_page(struct st_json *json, FILE *file, size_t room);

/* Ends the document with a newline. */
void st_json_finish(struct st_json *json);

/* Containers: spread over lines, one entry a line, or (`flat`) on one line with all in it. */
void st_json_object(struct st_json *json);
void st_json_flat_object(struct st_json *json);
void st_json_object_end(struct st_json *json);
void st_json_array(struct st_json *json);
void st_json_flat_array(struct st_json *json);
void st_json_array_end(struct st_json *json);

void st_json_key(struct st_json *json, const char *key);

/* Text of any bytes: what is not UTF-8 becomes U+FFFD, one for each bad byte. */
void st_json_string(struct st_json *json, const char *text);
void st_json_number(struct st_json *json, uint64_t number);
void st_json_real(struct st_json *json, double number); /* six digits behind the point */
void st_json_bool(struct st_json *json, bool value);
void st_json_null(struct st_json *json);

/* Members of objects: a key and its value. What may be missing is null where it is NULL. */
void st_json_string_field(struct st_json *json, const char *key, const char *text);
void st_json_maybe_string_field(struct st_json *json, const char *key, const char *text);
void st_json_number_field(struct st_json *json, const char *key, uint64_t number);
void st_json_bool_field(struct st_json *json, const char *key, bool value);

/* How many bytes at `text` form a character of UTF-8 (no overlong forms, no surrogates, nothing
 * beyond U+10FFFF), or 0. The text ends with a zero byte, which is never a continuation. */
size_t st_utf8_length(const char *text);

/* ---- on which line a value stands: what parsers forget and people want to know ---- */

/* One step into a value: to a member of an object, or (key is NULL) to an element of an array. */
struct st_json_step {
    const char *key;
    size_t index;
};

/* The line, from 1, of the value that the steps lead to; of the last one on the way that is there.
 * The text must be well-formed JSON. */
uint64_t st_json_line(const char *text, const struct st_json_step *steps, size_t count);

#endif
