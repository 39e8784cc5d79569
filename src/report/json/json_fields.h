/* Members of JSON objects: a key and its value. */
#ifndef SERIATIM_REPORT_JSON_JSON_FIELDS_H
#define SERIATIM_REPORT_JSON_JSON_FIELDS_H

#include "base/json.h"

static inline void string_field(struct st_json *json, const char *key, const char *text) {
    st_json_key(json, key);
    st_json_string(json, text);
}

/* null for NULL. */
static inline void maybe_string_field(struct st_json *json, const char *key, const char *text) {
    st_json_key(json, key);
    if (text)
        st_json_string(json, text);
    else
        st_json_null(json);
}

static inline void number_field(struct st_json *json, const char *key, uint64_t number) {
    st_json_key(json, key);
    st_json_number(json, number);
}

static inline void bool_field(struct st_json *json, const char *key, bool value) {
    st_json_key(json, key);
    st_json_bool(json, value);
}

#endif
