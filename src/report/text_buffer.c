#define _GNU_SOURCE
#include "report/text_buffer.h"

#include "base/memory.h"
#include "report/text/glyphs.h"

#include <stdlib.h>
#include <string.h>

FILE *st_draft_open(struct st_draft *draft) {
    draft->file = open_memstream(&draft->text, &draft->size);
    if (!draft->file)
        st_out_of_memory();
    return draft->file;
}

char *st_draft_close(struct st_draft *draft) {
    if (fclose(draft->file) != 0)
        st_out_of_memory();
    return draft->text;
}

void st_put_wrapped(FILE *file, const char *text, size_t column, const char *indent, size_t width) {
    char *copy = st_strdup(text), *left = copy;
    for (const char *word; (word = strsep(&left, " "));) {
        size_t columns = st_width(word);
        if (word != copy && width && column + 1 + columns > width) {
            fprintf(file, "\n%s", indent);
            column = st_width(indent);
        } else if (word != copy) {
            fputc(' ', file);
            column++;
        }
        fputs(word, file);
        column += columns;
    }
    fputc('\n', file);
    free(copy);
}
