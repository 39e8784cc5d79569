#include "base/json_line.h"

#include <stdbool.h>
#include <string.h>

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
