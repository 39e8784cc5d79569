#define _GNU_SOURCE
#include "report/text/sentences.h"

#include "base/memory.h"
#include "report/text/glyphs.h"

#include <stdlib.h>
#include <string.h>

struct st_text st_sentence_start(const struct st_text *text, struct st_text_buffer *buffer) {
    struct st_text sentence = *text;
    sentence.file = st_text_buffer_open(buffer);
    return sentence;
}

void st_sentence_end(const struct st_text *text, struct st_text_buffer *buffer) {
    char *sentence = st_text_buffer_close(buffer);
    fputs("  ", text->file);
    st_put_wrapped(text->file, sentence, 2, "  ", st_text_width(text));
    free(sentence);
}

void st_headline_end(const struct st_text *text, struct st_text_buffer *buffer) {
    char *sentence = st_text_buffer_close(buffer);
    st_put_wrapped(text->file, sentence, 0, "  ", text->style.width);
    free(sentence);
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
