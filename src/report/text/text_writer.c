#include "report/text/text_writer.h"

#include "report/text/glyphs.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

void st_put_paint(const struct st_text *text, enum st_paint paint) {
    static const char *const codes[] = {
        [ST_PLAIN] = "\033[0m",    [ST_BOLD] = "\033[1m",    [ST_DIM] = "\033[2m",
        [ST_RED] = "\033[1;31m",   [ST_GREEN] = "\033[32m",  [ST_HOME] = "\033[1;36m",
        [ST_OTHER] = "\033[1;33m", [ST_SOURCE] = "\033[34m",
    };
    if (text->style.color)
        fputs(codes[paint], text->file);
}

void st_put_name(const struct st_text *text, const char *name) {
    st_put_safely(text->file, name, strlen(name), SIZE_MAX);
}

void st_put_part(const struct st_text *text, const char *name, size_t length) {
    st_put_safely(text->file, name, length, SIZE_MAX);
}

void st_put_count(const struct st_text *text, uint64_t count, const char *noun) {
    fprintf(text->file, "%" PRIu64 " %s%s", count, noun, count == 1 ? "" : "s");
}

void st_put_thread(const struct st_text *text, uint32_t thread) {
    st_put_name(text, st_name(&text->symbols->threads, thread));
}

void st_put_block(const struct st_text *text, uint32_t block) {
    if (block == ST_NO_NAME)
        fputs("the block", text->file);
    else
        st_put_name(text, st_target_name(text->symbols, ST_BEGIN, block));
}

void st_say(const struct st_text *text, const char *sentence, ...) {
    va_list words;
    va_start(words, sentence);
    for (; *sentence; sentence++) {
        if (*sentence != '%') {
            fputc(*sentence, text->file);
            continue;
        }
        switch (*++sentence) {
        case 't':
            st_put_thread(text, va_arg(words, uint32_t));
            break;
        case 'b':
            st_put_block(text, va_arg(words, uint32_t));
            break;
        case 'n':
            fprintf(text->file, "%" PRIu64, va_arg(words, uint64_t));
            break;
        case 's':
            fputs(va_arg(words, const char *), text->file);
            break;
        }
    }
    va_end(words);
}

void st_put_location(const struct st_text *text, uint64_t loc) {
    char buffer[ST_LOCATION_SIZE];
    const char *name = st_location_text(text->symbols, loc, buffer);
    if (!*name)
        return;
    fputs(loc & ST_LOC_NAME ? "at " : "at location ", text->file);
    st_put_name(text, name);
}
