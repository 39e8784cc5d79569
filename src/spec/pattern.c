#include "spec/pattern.h"

#include "base/memory.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A character of a pattern, with its backslash removed. */
struct letter {
    char value;
    bool escaped; /* it stands for itself, even if it is special otherwise */
};

static int digit_value(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The two digits after \x. A name has no zero byte. */
static const char *take_byte(const char *at, struct letter *letter, const char **missing) {
    int high = digit_value(at[0]);
    int low = high < 0 ? -1 : digit_value(at[1]);
    if (low < 0 || (high == 0 && low == 0)) {
        *missing = "two hexadecimal digits, not 00, after '\\x'";
        return NULL;
    }
    *letter = (struct letter){(char)(high << 4 | low), true};
    return at + 2;
}

static const char *take_letter(const char *at, struct letter *letter, const char **missing) {
    *letter = (struct letter){*at, false};
    if (*at != '\\')
        return at + 1;
    if (at[1] == 'x')
        return take_byte(at + 2, letter, missing);
    if (!at[1]) {
        *missing = "a character after '\\'";
        return NULL;
    }
    *letter = (struct letter){at[1], true};
    return at + 2;
}

static bool ends_word(char c) {
    return c == ' ' || c == '\t' || c == '#' || !c;
}

/* Copies a pattern twice: without backslashes, and with one before each character that had one. */
static const char *copy_letters(const char *at, bool quoted, char *name, struct st_pattern *pattern,
                                const char **missing) {
    char *glob = pattern->text;
    pattern->literal = true;
    while (quoted ? *at != '"' : !ends_word(*at)) {
        struct letter letter;
        if (!*at) {
            *missing = "a closing '\"'";
            return NULL;
        }
        at = take_letter(at, &letter, missing);
        if (!at)
            return NULL;
        *name++ = letter.value;
        if (letter.escaped)
            *glob++ = '\\';
        else if (strchr("*?[", letter.value))
            pattern->literal = false;
        *glob++ = letter.value;
    }
    return at + quoted;
}

const char *st_pattern_parse(struct st_pattern *pattern, const char *line, const char **missing) {
    bool quoted = *line == '"';
    size_t room = strlen(line) + 1; /* a backslash is at least one character of the line too */
    char *name = st_alloc(room, 1);
    pattern->text = st_alloc(room, 1);
    const char *rest = copy_letters(line + quoted, quoted, name, pattern, missing);
    if (rest && pattern->literal) {
        free(pattern->text);
        pattern->text = name;
        return rest;
    }
    free(name);
    if (!rest) {
        free(pattern->text);
        pattern->text = NULL;
    }
    return rest;
}

bool st_pattern_matches(const struct st_pattern *pattern, const char *name) {
    return pattern->literal ? strcmp(pattern->text, name) == 0
                            : fnmatch(pattern->text, name, 0) == 0;
}

static bool is_control(char c) {
    return (unsigned char)c < 0x20 || c == 0x7f;
}

char *st_pattern_of(const char *name) {
    bool quoted = !*name || strpbrk(name, " #\"");
    char *text = st_alloc(4 * strlen(name) + 3, 1), *end = text;
    if (quoted)
        *end++ = '"';
    for (; *name; name++) {
        if (is_control(*name)) {
            end += sprintf(end, "\\x%02x", (unsigned char)*name);
            continue;
        }
        if (strchr("*?[\\\"", *name))
            *end++ = '\\';
        *end++ = *name;
    }
    if (quoted)
        *end++ = '"';
    return text;
}
