/* Text that is written before it is known where it goes, or how it fits.
 *
 *     struct st_draft draft;
 *     fprintf(st_draft_open(&draft), "%d", 3);
 *     char *text = st_draft_close(&draft);   release with free()
 */
#ifndef SERIATIM_REPORT_TEXT_BUFFER_H
#define SERIATIM_REPORT_TEXT_BUFFER_H

#include <stddef.h>
#include <stdio.h>

struct st_draft {
    FILE *file;
    char *text;
    size_t size;
};

FILE *st_draft_open(struct st_draft *draft);
char *st_draft_close(struct st_draft *draft);

/* Writes a text word by word, from a column of a line that was begun; the lines that follow begin
 * with `indent`. None is wider than `width` columns unless a single word is. With a width of 0
 * there is one line. */
void st_put_wrapped(FILE *file, const char *text, size_t column, const char *indent, size_t width);

#endif
