#include "base/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void copy_file_name(char *to, size_t size, const char *file) {
    size_t length = strlen(file);
    if (length < size)
        memcpy(to, file, length + 1);
    else
        snprintf(to, size, "...%s", file + length - (size - 4));
}

int st_fail(struct st_error *error, const char *file, enum st_position_kind at, uint64_t position,
            const char *cause, ...) {
    copy_file_name(error->file, sizeof error->file, file ? file : "");
    error->at = at;
    error->position = position;
    va_list arguments;
    va_start(arguments, cause);
    vsnprintf(error->cause, sizeof error->cause, cause, arguments);
    va_end(arguments);
    return -1;
}

void st_error_text(const struct st_error *error, char *buffer, size_t size) {
    const char *file = error->file;
    const char *colon = *file ? ": " : "";
    switch (error->at) {
    case ST_AT_FILE:
        snprintf(buffer, size, "%s%s%s", file, colon, error->cause);
        break;
    case ST_AT_LINE:
        snprintf(buffer, size, "%s:%" PRIu64 ": %s", file, error->position, error->cause);
        break;
    case ST_AT_OFFSET:
        snprintf(buffer, size, "%s%sat byte %" PRIu64 ": %s", file, colon, error->position,
                 error->cause);
        break;
    case ST_AT_EVENT:
        snprintf(buffer, size, "%s%sevent %" PRIu64 ": %s", file, colon, error->position,
                 error->cause);
        break;
    }
}

const char *st_quote(char *buffer, size_t size, const char *text, size_t length) {
    char *out = buffer;
    char *limit = buffer + size - 9; /* room for an escape, the dots, the quote and the zero */
    *out++ = '\'';
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (out >= limit) {
            memcpy(out, "...", 3);
            out += 3;
            break;
        }
        if (c >= 0x20 && c < 0x7f && c != '\\')
            *out++ = (char)c;
        else
            out += sprintf(out, c == '\\' ? "\\\\" : "\\x%02x", c);
    }
    *out++ = '\'';
    *out = '\0';
    return buffer;
}
