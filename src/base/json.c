#include "base/json.h"

#include <inttypes.h>
#include <string.h>

void st_json_start(struct st_json *json, FILE *file) {
    *json = (struct st_json){.file = file, .empty = true};
}

void st_json_start_in_page(struct st_json *json, FILE *file, size_t room) {
    *json = (struct st_json){.file = file, .flat = 1, .in_page = true, .room = room, .empty = true};
}

void st_json_finish(struct st_json *json) {
    fputc('\n', json->file);
}

static void break_line(const struct st_json *json) {
    if (!json->flat)
        fprintf(json->file, "\n%*s", (int)(2 * json->depth), "");
}

/* What comes between the previous entry of the container and the next one. */
static void separate(struct st_json *json) {
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (!json->empty)
        fputs(json->flat ? ", " : ",", json->file);
    if (json->depth)
        break_line(json);
    json->empty = false;
}

static void open_container(struct st_json *json, char bracket, bool flat) {
    separate(json);
    fputc(bracket, json->file);
    json->depth++;
    if (flat || json->flat)
        json->flat++;
    json->empty = true;
}

static void close_container(struct st_json *json, char bracket) {
    json->depth--;
    if (!json->empty)
        break_line(json);
    if (json->flat)
        json->flat--;
    fputc(bracket, json->file);
    json->empty = false;
}

void st_json_object(struct st_json *json) {
    open_container(json, '{', false);
}

void st_json_flat_object(struct st_json *json) {
    open_container(json, '{', true);
}

void st_json_object_end(struct st_json *json) {
    close_container(json, '}');
}

void st_json_array(struct st_json *json) {
    open_container(json, '[', false);
}

void st_json_flat_array(struct st_json *json) {
    open_container(json, '[', true);
}

void st_json_array_end(struct st_json *json) {
    close_container(json, ']');
}

size_t st_utf8_length(const char *at) {
    const unsigned char *text = (const unsigned char *)at;
    unsigned char first = text[0], low = 0x80, high = 0xbf;
    size_t length;
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first <= 0xdf)
        length = 2;
    else if (first >= 0xe0 && first <= 0xef)
        length = 3;
    else if (first >= 0xf0 && first <= 0xf4)
        length = 4;
    else
        return 0;
    if (first == 0xe0)
        low = 0xa0;
    else if (first == 0xed)
        high = 0x9f;
    else if (first == 0xf0)
        low = 0x90;
    else if (first == 0xf4)
        high = 0x8f;
    if (text[1] < low || text[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

static void write_escaped(FILE *file, unsigned char c) {
    switch (c) {
    case '"':
        fputs("\\\"", file);
        break;
    case '\\':
        fputs("\\\\", file);
        break;
    case '\n':
        fputs("\\n", file);
        break;
    case '\t':
        fputs("\\t", file);
        break;
    case '\r':
        fputs("\\r", file);
        break;
    default:
        fprintf(file, "\\u%04x", c);
    }
}

/* What could begin a tag, a comment or an entity. */
static bool means_something_in_html(unsigned char c) {
    return c == '<' || c == '>' || c == '&';
}

/* U+2028 and U+2029 end a line of JavaScript. */
static bool is_line_separator(const unsigned char *at) {
    return at[0] == 0xe2 && at[1] == 0x80 && (at[2] == 0xa8 || at[2] == 0xa9);
}

/* How many characters there stand for themselves, whoever reads them. */
static size_t plain_length(const unsigned char *at) {
    size_t length = 0;
    while (at[length] >= 0x20 && at[length] < 0x7f && at[length] != '"' && at[length] != '\\' &&
           !means_something_in_html(at[length]))
        length++;
    return length;
}

/* Most texts are plain, and written at once: a call for each character was 7 % of the watcher of a
 * short run. */
static void write_string(const struct st_json *json, const char *text) {
    FILE *file = json->file;
    fputc('"', file);
    for (const unsigned char *at = (const unsigned char *)text;;) {
        size_t plain = plain_length(at);
        fwrite(at, 1, plain, file);
        at += plain;
        if (!*at)
            break;
        size_t length = st_utf8_length((const char *)at);
        if (!length)
            fputs("\\ufffd", file);
        else if (*at < 0x20 || *at == '"' || *at == '\\' || *at == 0x7f ||
                 (json->in_page && means_something_in_html(*at)))
            write_escaped(file, *at);
        else if (json->in_page && is_line_separator(at))
            fprintf(file, "\\u20%02x", at[2] - 0x80);
        else
            fwrite(at, 1, length, file);
        at += length ? length : 1;
    }
    fputc('"', file);
}

void st_json_key(struct st_json *json, const char *key) {
    separate(json);
    write_string(json, key);
    fputs(": ", json->file);
    json->after_key = true;
}

void st_json_string(struct st_json *json, const char *text) {
    separate(json);
    write_string(json, text);
}

void st_json_number(struct st_json *json, uint64_t number) {
    separate(json);
    fprintf(json->file, "%" PRIu64, number);
}

void st_json_real(struct st_json *json, double number) {
    separate(json);
    fprintf(json->file, "%.6f", number);
}

void st_json_bool(struct st_json *json, bool value) {
    separate(json);
    fputs(value ? "true" : "false", json->file);
}

void st_json_null(struct st_json *json) {
    separate(json);
    fputs("null", json->file);
}

/* ---- the line of a value ---- */

static const char *skip_blanks(const char *at) {
    return at + strspn(at, " \t\r\n");
}

/* From the quote that begins a string to behind the one that ends it. */
static const char *skip_string(const char *at) {
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1])
            at++;
    return *at ? at + 1 : at;
}

static const char *skip_value(const char *at) {
    size_t depth = 0;
    do {
        if (*at == '"') {
            at = skip_string(at);
            continue;
        }
        if (*at == '{' || *at == '[')
            depth++;
        else if ((*at == '}' || *at == ']') && depth)
            depth--;
        at += *at != '\0';
    } while (*at && (depth || !strchr(",]} \t\r\n", *at)));
    return at;
}

/* At a key, or at an element: is it the one that the step leads to? *value becomes its value. */
static bool is_here(const char *at, const struct st_json_step *step, size_t index,
                    const char **value) {
    *value = at;
    if (!step->key)
        return index == step->index;
    const char *end = skip_string(at);
    size_t length = strlen(step->key);
    *value = skip_blanks(skip_blanks(end) + 1);
    return (size_t)(end - at) == length + 2 && memcmp(at + 1, step->key, length) == 0;
}

/* The value behind the step, or NULL. */
static const char *follow(const char *at, const struct st_json_step *step) {
    if (*at != (step->key ? '{' : '['))
        return NULL;
    at = skip_blanks(at + 1);
    for (size_t index = 0; *at && *at != '}' && *at != ']'; index++) {
        const char *value;
        if (is_here(at, step, index, &value))
            return value;
        at = skip_blanks(skip_value(value));
        if (*at == ',')
            at = skip_blanks(at + 1);
    }
    return NULL;
}

uint64_t st_json_line(const char *text, const struct st_json_step *steps, size_t count) {
    const char *at = skip_blanks(text);
    for (size_t i = 0; i < count; i++) {
        const char *next = follow(at, &steps[i]);
        if (!next)
            break;
        at = next;
    }
    uint64_t line = 1;
    for (const char *c = text; c < at; c++)
        line += *c == '\n';
    return line;
}

void st_json_string_field(struct st_json *json, const char *key, const char *text) {
    st_json_key(json, key);
    st_json_string(json, text);
}

void st_json_maybe_string_field(struct st_json *json, const char *key, const char *text) {
    st_json_key(json, key);
    if (text)
        st_json_string(json, text);
    else
        st_json_null(json);
}

void st_json_number_field(struct st_json *json, const char *key, uint64_t number) {
    st_json_key(json, key);
    st_json_number(json, number);
}

void st_json_bool_field(struct st_json *json, const char *key, bool value) {
    st_json_key(json, key);
    st_json_bool(json, value);
}
