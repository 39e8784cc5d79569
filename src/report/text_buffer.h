/* Text that is written before it is known where it goes, or how it fits.
 *
 *     struct st_text_buffer buffer;
 *     fprintf(st_text_buffer_open(&buffer), "%d", 3);
 *     char *text = st_text_buffer_close(&buffer);   release with free()
 */
#ifndef SERIATIM_REPORT_TEXT_BUFFER_H
#define SERIATIM_REPORT_TEXT_BUFFER_H

#include <stddef.h>
#include <stdio.h>

struct st_text_buffer {
    FILE *file;
    char *text;
    size_t size;
};

FILE *st_text_buffer_open(struct st_text_buffer *buffer);
char *st_text_buffer_close(struct st_text_buffer *buffer);

#endif
