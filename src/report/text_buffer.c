#define _GNU_SOURCE
#include "report/text_buffer.h"

#include "base/memory.h"

FILE *st_text_buffer_open(struct st_text_buffer *buffer) {
    buffer->file = open_memstream(&buffer->text, &buffer->size);
    if (!buffer->file)
        st_out_of_memory();
    return buffer->file;
}

char *st_text_buffer_close(struct st_text_buffer *buffer) {
    if (fclose(buffer->file) != 0)
        st_out_of_memory();
    return buffer->text;
}
