/* Text that somebody else wrote, made fit for a terminal.
 *
 * Names and source lines may hold anything. What a terminal would obey or hide (control characters,
 * what turns the direction of writing, bytes that are no UTF-8) is shown as \x1b; the rest stays as
 * it is. */
#ifndef SERIATIM_REPORT_TEXT_GLYPHS_H
#define SERIATIM_REPORT_TEXT_GLYPHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What stands at the front of a text: a character, or a byte that is not shown as it is. */
struct st_glyph {
    size_t bytes;     /* at least 1 */
    unsigned columns; /* that it takes on a terminal */
    bool plain;       /* shown as it is */
};

/* How many columns the text takes that was made fit already; colors take none. */
size_t st_width(const char *text);

/* How many columns it takes when it is made fit. */
size_t st_safe_width(const char *text, size_t length);

/* Writes a text in at most so many columns: what is longer ends with "...". No character is cut. */
void st_put_safely(FILE *file, const char *text, size_t length, size_t columns);

/* The same, but the "..." is in the middle: names often differ at their ends only. */
void st_put_ends(FILE *file, const char *text, size_t length, size_t columns);

#endif
