#include "report/load/fields.h"

#include <stdarg.h>
#include <string.h>

/* ---- Errors ---- */

/* jansson says what it expected and where; the place is ours to print. */
static int reject_syntax(const struct st_fields *fields, const json_error_t *found) {
    const char *what = found->text;
    char quoted[160];
    if (json_error_code(found) == json_error_duplicate_key)
        what = "an object has the same key twice";
    st_quote(quoted, sizeof quoted, what,
             strlen(what)); /* it has quotes of its own: without ours */
    return st_fail(fields->error, fields->name, ST_AT_LINE,
                   found->line > 0 ? (uint64_t)found->line : 1, "is not well-formed JSON: %.*s",
                   (int)strlen(quoted) - 2, quoted + 1);
}

int st_fields_open(struct st_fields *fields, const char *name, const char *text, size_t length,
                   struct st_error *error) {
    json_error_t found;
    *fields = (struct st_fields){.name = name, .text = text, .error = error};
    static const char trace[] = "\x89STT";
    if (length >= strlen(trace) && memcmp(text, trace, strlen(trace)) == 0)
        return st_fail(error, name, ST_AT_FILE, 0, "is a trace, not JSON");
    fields->root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &found);
    if (!fields->root)
        return reject_syntax(fields, &found);
    return 0;
}

void st_fields_close(struct st_fields *fields) {
    json_decref(fields->root);
    fields->root = NULL;
}

void st_fields_enter(struct st_fields *fields, const char *key, size_t index) {
    if (fields->depth < ST_DEEPEST_FIELD)
        fields->steps[fields->depth] = (struct st_json_step){key, index};
    fields->depth++;
}

void st_fields_leave(struct st_fields *fields) {
    fields->depth--;
}

/* "violations[3].begin" */
static void write_steps(const struct st_fields *fields, char *buffer, size_t size) {
    size_t used = 0;
    *buffer = '\0';
    for (size_t i = 0; i < fields->depth && i < ST_DEEPEST_FIELD && used < size; i++) {
        const struct st_json_step *step = &fields->steps[i];
        int more = step->key ? snprintf(buffer + used, size - used, "%s%s", i ? "." : "", step->key)
                             : snprintf(buffer + used, size - used, "[%zu]", step->index);
        used += more > 0 ? (size_t)more : 0;
    }
}

void st_fields_reject(struct st_fields *fields, const char *must, ...) {
    char where[200], what[280];
    va_list arguments;
    if (fields->failed)
        return;
    va_start(arguments, must);
    vsnprintf(what, sizeof what, must, arguments);
    va_end(arguments);
    write_steps(fields, where, sizeof where);
    size_t depth = fields->depth < ST_DEEPEST_FIELD ? fields->depth : ST_DEEPEST_FIELD;
    fields->failed = true;
    st_fail(fields->error, fields->name, ST_AT_LINE,
            st_json_line(fields->text, fields->steps, depth), "%s%s%s", where, *where ? " " : "",
            what);
}

/* ---- Members ---- */

static void reject_member(struct st_fields *fields, const char *key, const char *must) {
    st_fields_enter(fields, key, 0);
    st_fields_reject(fields, "%s", must);
    st_fields_leave(fields);
}

/* The member, or NULL when it is missing or null. */
static const json_t *find(const struct st_fields *fields, const json_t *object, const char *key) {
    const json_t *value = fields->failed ? NULL : json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

/* The same for one that has a type, and may be required. */
static const json_t *find_typed(struct st_fields *fields, const json_t *object, const char *key,
                                json_type type, bool required, const char *must) {
    const json_t *value = find(fields, object, key);
    if (value ? json_typeof(value) == type : !required)
        return value;
    reject_member(fields, key, must);
    return NULL;
}

static const char *text_of(const json_t *value) {
    return value ? json_string_value(value) : NULL;
}

const char *st_field_text(struct st_fields *fields, const json_t *object, const char *key) {
    const char *text =
        text_of(find_typed(fields, object, key, JSON_STRING, true, "must be a text"));
    return text ? text : "";
}

const char *st_field_maybe_text(struct st_fields *fields, const json_t *object, const char *key) {
    return text_of(find_typed(fields, object, key, JSON_STRING, false, "must be a text or null"));
}

static uint64_t number_of(struct st_fields *fields, const json_t *value, const char *key) {
    json_int_t number = value ? json_integer_value(value) : 0;
    if (number >= 0)
        return (uint64_t)number;
    reject_member(fields, key, "must not be negative");
    return 0;
}

uint64_t st_field_number(struct st_fields *fields, const json_t *object, const char *key) {
    const json_t *value =
        find_typed(fields, object, key, JSON_INTEGER, true, "must be a whole number");
    return number_of(fields, value, key);
}

uint64_t st_field_maybe_number(struct st_fields *fields, const json_t *object, const char *key) {
    const json_t *value =
        find_typed(fields, object, key, JSON_INTEGER, false, "must be a whole number or null");
    return number_of(fields, value, key);
}

double st_field_maybe_real(struct st_fields *fields, const json_t *object, const char *key) {
    const json_t *value = find(fields, object, key);
    if (!value)
        return 0;
    if (json_is_number(value) && json_number_value(value) >= 0)
        return json_number_value(value);
    reject_member(fields, key, "must be a number that is not negative");
    return 0;
}

bool st_field_maybe_bool(struct st_fields *fields, const json_t *object, const char *key) {
    const json_t *value = find(fields, object, key);
    if (value && !json_is_boolean(value))
        reject_member(fields, key, "must be true, false or null");
    return json_is_true(value);
}

const json_t *st_field_array(struct st_fields *fields, const json_t *object, const char *key) {
    return find_typed(fields, object, key, JSON_ARRAY, true, "must be a list");
}

const json_t *st_field_maybe_array(struct st_fields *fields, const json_t *object,
                                   const char *key) {
    return find_typed(fields, object, key, JSON_ARRAY, false, "must be a list");
}

const json_t *st_field_object(struct st_fields *fields, const json_t *object, const char *key) {
    return find_typed(fields, object, key, JSON_OBJECT, true, "must be an object");
}

const json_t *st_field_maybe_object(struct st_fields *fields, const json_t *object,
                                    const char *key) {
    return find_typed(fields, object, key, JSON_OBJECT, false, "must be an object or null");
}

const json_t *st_element_object(struct st_fields *fields, const json_t *array, size_t index) {
    const json_t *element = fields->failed ? NULL : json_array_get(array, index);
    if (json_is_object(element))
        return element;
    st_fields_enter(fields, NULL, index);
    st_fields_reject(fields, "must be an object");
    st_fields_leave(fields);
    return NULL;
}
