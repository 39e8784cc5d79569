#include "symbol/label.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void st_label_clear(struct st_label *text) {
    text->length = 0;
    text->full = false;
    text->bytes[0] = '\0';
}

void st_label_add(struct st_label *text, const char *bytes, size_t length) {
    size_t room = sizeof text->bytes - 1 - text->length;
    if (text->full)
        return;
    if (length > room) {
        text->full = true;
        length = room;
    }
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        text->bytes[text->length++] = byte < 0x20 || byte == 0x7f ? '?' : (char)byte;
    }
    text->bytes[text->length] = '\0';
    if (text->full)
        memcpy(text->bytes + text->length - 3, "...", 3);
}

void st_label_adds(struct st_label *text, const char *string) {
    st_label_add(text, string, strlen(string));
}

void st_label_addf(struct st_label *text, const char *format, ...) {
    char piece[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    st_label_adds(text, piece);
}

void st_label_truncate(struct st_label *text, size_t length) {
    if (text->full || length >= text->length)
        return;
    text->length = length;
    text->bytes[length] = '\0';
}

bool st_label_ends_with(const struct st_label *text, const char *string) {
    size_t length = strlen(string);
    return text->length >= length &&
           memcmp(text->bytes + text->length - length, string, length) == 0;
}
