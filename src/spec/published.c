#include "spec/published.h"

#include "base/memory.h"

#include <string.h>

static const char word_ends[] = " \t#";

/* "elevator/Lift.doIdle": periods instead of slashes, and nothing of `skip`. */
static char *make_name(const char *text, size_t length, char skip) {
    char *name = st_alloc(length + 1, 1), *to = name;
    for (size_t i = 0; i < length; i++)
        if (text[i] != skip)
            *to++ = text[i] == '/' ? '.' : text[i];
    return name;
}

/* The length of "(I[J)V" and what clings to it; 0 if it is none. */
static size_t parameters_length(const char *text) {
    size_t length = *text == '(' ? strcspn(text, word_ends) : 0;
    return memchr(text, ')', length) ? length : 0;
}

/* elevator/Lift.doIdle()V; the type behind the parameters tells it from a C++ function. */
static size_t take_plain(const char *text, char **name) {
    size_t length = strcspn(text, "( \t#"), parameters = parameters_length(text + length);
    const char *dot = memchr(text, '.', length);
    if (!dot || dot == text || dot + 1 == text + length || !parameters ||
        text[length + parameters - 1] == ')')
        return 0;
    *name = make_name(text, length, '\0');
    return length + parameters;
}

/* Lelevator/Lift;.doIdle ()V:78(0) */
static size_t take_with_line(const char *text, char **name) {
    size_t length = strcspn(text, "( \t#"), at = length + strspn(text + length, " \t");
    const char *semicolon = *text == 'L' ? memchr(text, ';', length) : NULL;
    size_t parameters = parameters_length(text + at);
    if (!semicolon || semicolon == text + 1 || semicolon[1] != '.' ||
        semicolon + 2 >= text + length || !parameters)
        return 0;
    *name = make_name(text + 1, length - 1, ';');
    return at + parameters;
}

size_t st_published_method(const char *text, char **name) {
    size_t length = take_with_line(text, name);
    return length ? length : take_plain(text, name);
}
