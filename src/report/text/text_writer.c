#define _GNU_SOURCE
#include "report/text/text_writer.h"

#include "base/memory.h"
#include "report/text/glyphs.h"
#include "report/calls.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void st_put_paint(const struct st_text_writer *text, enum st_paint paint) {
    static const char *const codes[] = {
        [ST_PLAIN] = "\033[0m",    [ST_BOLD] = "\033[1m",    [ST_DIM] = "\033[2m",
        [ST_RED] = "\033[1;31m",   [ST_GREEN] = "\033[32m",  [ST_HOME] = "\033[1;36m",
        [ST_OTHER] = "\033[1;33m", [ST_SOURCE] = "\033[34m",
    };
    if (text->style.color)
        fputs(codes[paint], text->file);
}

void st_put_name(const struct st_text_writer *text, const char *name) {
    st_put_safely(text->file, name, strlen(name), SIZE_MAX);
}

void st_put_part(const struct st_text_writer *text, const char *name, size_t length) {
    st_put_safely(text->file, name, length, SIZE_MAX);
}

void st_put_count(const struct st_text_writer *text, uint64_t count, const char *noun) {
    fprintf(text->file, "%" PRIu64 " %s%s", count, noun, count == 1 ? "" : "s");
}

void st_put_thread(const struct st_text_writer *text, uint32_t thread) {
    st_put_name(text, st_name(&text->symbols->threads, thread));
}

/* "transfer", "the block" */
static void put_block(const struct st_text_writer *text, uint32_t block) {
    if (block == ST_NO_NAME)
        fputs("the block", text->file);
    else
        st_put_name(text, st_target_name(text->symbols, ST_BEGIN, block));
}

void st_say(const struct st_text_writer *text, const char *sentence, ...) {
    va_list arguments;
    va_start(arguments, sentence);
    for (; *sentence; sentence++) {
        if (*sentence != '%') {
            fputc(*sentence, text->file);
            continue;
        }
        switch (*++sentence) {
        case 't':
            st_put_thread(text, va_arg(arguments, uint32_t));
            break;
        case 'b':
            put_block(text, va_arg(arguments, uint32_t));
            break;
        case 'n':
            fprintf(text->file, "%" PRIu64, va_arg(arguments, uint64_t));
            break;
        case 's':
            fputs(va_arg(arguments, const char *), text->file);
            break;
        }
    }
    va_end(arguments);
}

void st_put_location(const struct st_text_writer *text, uint64_t loc) {
    char buffer[ST_LOCATION_SIZE];
    const char *name = st_user_location(text->symbols, text->details, loc, buffer);
    if (!*name)
        return;
    fputs(loc & ST_LOC_NAME ? "at " : "at location ", text->file);
    st_put_name(text, name);
}

/* ---- Sentences ---- */

struct st_text_writer st_sentence_start(const struct st_text_writer *text,
                                        struct st_text_buffer *buffer) {
    struct st_text_writer sentence = *text;
    sentence.file = st_text_buffer_open(buffer);
    return sentence;
}

void st_sentence_end(const struct st_text_writer *text, struct st_text_buffer *buffer) {
    char *sentence = st_text_buffer_close(buffer);
    fputs("  ", text->file);
    st_put_wrapped(text->file, sentence, 2, "  ", st_text_width(text));
    free(sentence);
}

void st_headline_end(const struct st_text_writer *text, struct st_text_buffer *buffer) {
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
