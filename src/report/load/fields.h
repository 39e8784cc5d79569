/* Taking a JSON text apart, with an eye on everything in it.
 *
 * The first thing that is not as it must be is kept as an error that names the value and its line;
 * from then on all answers are empty (0, "", NULL), so that callers need to look only once, at the
 * end. */
#ifndef SERIATIM_REPORT_LOAD_FIELDS_H
#define SERIATIM_REPORT_LOAD_FIELDS_H

#include "base/error.h"
#include "base/json.h"

#include <jansson.h>
#include <stdbool.h>

enum { ST_DEEPEST_FIELD = 16 };

struct st_fields {
    const char *name; /* of the file, for messages */
    const char *text;
    json_t *root;
    bool failed;
    struct st_error *error;
    struct st_json_step steps[ST_DEEPEST_FIELD]; /* where we are */
    size_t depth;
};

/* Parses text[0 .. length), behind which is a zero byte. Both must outlive the fields. On -1 there
 * is nothing to be closed. */
int st_fields_open(struct st_fields *fields, const char *name, const char *text, size_t length,
                   struct st_error *error);
void st_fields_close(struct st_fields *fields);

/* Goes into a member (key) or an element (NULL and an index), and back. */
void st_fields_enter(struct st_fields *fields, const char *key, size_t index);
void st_fields_leave(struct st_fields *fields);

/* What we are in is wrong: "violations[3].begin must be ...". Keeps the first such complaint. */
void st_fields_reject(struct st_fields *fields, const char *must, ...)
    __attribute__((format(printf, 2, 3)));

/* Members of an object. The first three must be there. */
const char *st_field_text(struct st_fields *fields, const json_t *object, const char *key);
uint64_t st_field_number(struct st_fields *fields, const json_t *object, const char *key);
const json_t *st_field_array(struct st_fields *fields, const json_t *object, const char *key);

/* The same for what may be missing or null: NULL, 0 and false then. */
const char *st_field_maybe_text(struct st_fields *fields, const json_t *object, const char *key);
uint64_t st_field_maybe_number(struct st_fields *fields, const json_t *object, const char *key);
double st_field_maybe_real(struct st_fields *fields, const json_t *object, const char *key);
bool st_field_maybe_bool(struct st_fields *fields, const json_t *object, const char *key);
const json_t *st_field_maybe_array(struct st_fields *fields, const json_t *object, const char *key);
const json_t *st_field_maybe_object(struct st_fields *fields, const json_t *object,
                                    const char *key);

/* An object in a place where there must be one. Whatever it is, one may ask for its members. */
const json_t *st_field_object(struct st_fields *fields, const json_t *object, const char *key);
const json_t *st_element_object(struct st_fields *fields, const json_t *array, size_t index);

#endif
