/* Reads files with one entry per line, such as specifications and suppressions: words and patterns
 * between blanks, and comments that start with '#'. */
#ifndef SERIATIM_SPEC_LINE_H
#define SERIATIM_SPEC_LINE_H

#include "base/error.h"
#include "spec/pattern.h"

#include <stdio.h>

/* Nobody writes more by hand; what is longer has no end, or is no such file. */
enum { ST_LONGEST_LINE = 1 << 16, ST_LARGEST_LINES = 64 << 20 };

/* The current line. */
struct st_line {
    const char *name; /* of the file */
    const char *what; /* what the file is, for messages: "specification" */
    uint64_t number;
    const char *at; /* the rest of it, without leading blanks */
    struct st_error *error;
};

/* "expected 'atomic', not 'what'" */
int st_line_fail(const struct st_line *line, const char *missing);

/* Takes the next word if it is this one. */
bool st_line_take_word(struct st_line *line, const char *word);

/* Takes a pattern. Release it with free(pattern->text). */
int st_line_take_pattern(struct st_line *line, struct st_pattern *pattern);

/* Is nothing left, except perhaps a comment? */
bool st_line_is_over(const struct st_line *line);

/* Calls `parse` for each line, without its end (LF or CR LF) and without blanks at its start, until
 * it returns -1. line->name, what and error are the caller's. */
int st_lines_parse(struct st_line *line, FILE *file,
                   int (*parse)(struct st_line *line, void *context), void *context);

/* The same for a path, or standard input for "-"; sets line->name. */
int st_lines_load(struct st_line *line, const char *path,
                  int (*parse)(struct st_line *line, void *context), void *context);

#endif
