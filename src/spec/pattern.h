/* A pattern of a specification: a name, or a glob of fnmatch(3) over names.
 *
 * It ends at a blank, at '#' or with its line; in double quotes it may hold all of these. In quotes
 * and out of them, a backslash takes its meaning away from the character behind it, and \xHH is the
 * byte with that hexadecimal number. */
#ifndef SERIATIM_SPEC_PATTERN_H
#define SERIATIM_SPEC_PATTERN_H

#include <stdbool.h>

struct st_pattern {
    char *text;
    bool literal; /* `text` is the one name that it matches; otherwise it is for fnmatch(3) */
};

/* Reads the pattern at the start of the line. Returns what is behind it, or NULL, and then *missing
 * says what was expected. Release the pattern with free(pattern->text). */
const char *st_pattern_parse(struct st_pattern *pattern, const char *line, const char **missing);

bool st_pattern_matches(const struct st_pattern *pattern, const char *name);

/* How to write the pattern that matches this name and no other. Release with free(). */
char *st_pattern_of(const char *name);

#endif
