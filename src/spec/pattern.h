/* A pattern of a specification: a name, or a glob of fnmatch(3) over names.
 *
 * It ends at a blank, at '#' or at the end of its line, unless it is in double quotes. Inside and
 * outside quotes, a backslash makes the next character an ordinary one, and \xHH is the byte with
 * that hexadecimal value. */
#ifndef SERIATIM_SPEC_PATTERN_H
#define SERIATIM_SPEC_PATTERN_H

#include <stdbool.h>

struct st_pattern {
    char *text;
    bool literal; /* `text` is the only name that it matches; otherwise it is a glob */
};

/* Reads the pattern at the start of the line. Returns the rest of the line, or NULL if there is no
 * pattern; then *missing says what was expected. Release the pattern with free(pattern->text). */
const char *st_pattern_parse(struct st_pattern *pattern, const char *line, const char **missing);

bool st_pattern_matches(const struct st_pattern *pattern, const char *name);

/* The pattern that matches only this name. Release with free(). */
char *st_pattern_of(const char *name);

#endif
