#include "report/text/glyphs.h"

#include <stdint.h>
#include <string.h>

enum { ESCAPED_COLUMNS = 4 }; /* \x1b */

struct range {
    uint32_t first, last;
};

static bool is_in(const struct range *ranges, size_t count, uint32_t code) {
    for (size_t i = 0; i < count; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}

#define IS_IN(ranges, code) is_in(ranges, sizeof(ranges) / sizeof *(ranges), code)

/* Control characters, and those that change line or direction without being seen. */
static bool is_unsafe(uint32_t code) {
    static const struct range unsafe[] = {
        {0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},   {0x200e, 0x200f},
        {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfeff, 0xfeff},
    };
    return IS_IN(unsafe, code);
}

/* Good enough to line up columns: the East Asian blocks and emoji, and the commonest marks. */
static unsigned columns_of(uint32_t code) {
    static const struct range wide[] = {
        {0x1100, 0x115f}, {0x2e80, 0xa4cf}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},
        {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd},
    };
    static const struct range without[] = {
        {0x300, 0x36f}, {0x200b, 0x200d}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}};
    if (code < 0x300)
        return 1;
    return IS_IN(wide, code) ? 2 : IS_IN(without, code) ? 0 : 1;
}

/* The character at the front, and its bytes; 0 bytes when it is no UTF-8. */
static size_t decode(const unsigned char *text, size_t left, uint32_t *code) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t bytes = *text < 0x80 ? 1 : *text < 0xc0 ? 0 : *text < 0xe0 ? 2 : *text < 0xf0 ? 3 : 4;
    if (bytes == 0 || bytes > left || *text >= 0xf8)
        return 0;
    *code = bytes == 1 ? *text : *text & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (text[i] & 0x3f);
    }
    bool surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code < least[bytes] || surrogate || *code > 0x10ffff ? 0 : bytes;
}

/* `left` is at least 1. */
static struct st_glyph glyph_at(const char *text, size_t left) {
    uint32_t code;
    size_t bytes = decode((const unsigned char *)text, left, &code);
    if (bytes == 0)
        return (struct st_glyph){1, ESCAPED_COLUMNS, false};
    if (is_unsafe(code))
        return (struct st_glyph){bytes, (unsigned)bytes * ESCAPED_COLUMNS, false};
    return (struct st_glyph){bytes, columns_of(code), true};
}

size_t st_width(const char *text) {
    size_t width = 0, left = strlen(text);
    while (left) {
        size_t bytes = *text == '\033' ? strcspn(text, "m") : 0; /* one of our colors */
        if (bytes) {
            bytes += bytes < left;
        } else {
            struct st_glyph glyph = glyph_at(text, left);
            bytes = glyph.bytes;
            width += glyph.columns;
        }
        text += bytes;
        left -= bytes;
    }
    return width;
}

size_t st_safe_width(const char *text, size_t length) {
    size_t width = 0;
    for (size_t i = 0; i < length;) {
        struct st_glyph glyph = glyph_at(text + i, length - i);
        width += glyph.columns;
        i += glyph.bytes;
    }
    return width;
}

/* How many bytes at the front have room in so many columns. */
static size_t fit_front(const char *text, size_t length, size_t columns) {
    size_t bytes = 0;
    while (bytes < length) {
        struct st_glyph glyph = glyph_at(text + bytes, length - bytes);
        if (glyph.columns > columns)
            break;
        columns -= glyph.columns;
        bytes += glyph.bytes;
    }
    return bytes;
}

/* How many bytes at the front have to go, so that the rest has room in so many columns. */
static size_t skip_front(const char *text, size_t length, size_t columns) {
    size_t width = st_safe_width(text, length), bytes = 0;
    while (width > columns) {
        struct st_glyph glyph = glyph_at(text + bytes, length - bytes);
        width -= glyph.columns;
        bytes += glyph.bytes;
    }
    return bytes;
}

static void put_glyphs(FILE *file, const char *text, size_t length) {
    for (size_t i = 0; i < length;) {
        struct st_glyph glyph = glyph_at(text + i, length - i);
        for (size_t k = 0; k < glyph.bytes; k++)
            fprintf(file, glyph.plain ? "%c" : "\\x%02x", (unsigned char)text[i + k]);
        i += glyph.bytes;
    }
}

static const char dots[] = "...";
enum { DOTS = sizeof dots - 1 };

void st_put_safely(FILE *file, const char *text, size_t length, size_t columns) {
    bool cut = columns != SIZE_MAX && st_safe_width(text, length) > columns;
    size_t room = columns < DOTS ? 0 : columns - DOTS;
    put_glyphs(file, text, cut ? fit_front(text, length, room) : length);
    if (cut)
        fputs(dots, file);
}

void st_put_ends(FILE *file, const char *text, size_t length, size_t columns) {
    size_t room = columns < DOTS ? 0 : columns - DOTS;
    if (st_safe_width(text, length) <= columns) {
        put_glyphs(file, text, length);
        return;
    }
    size_t skipped = skip_front(text, length, room / 2);
    put_glyphs(file, text, fit_front(text, length, room - room / 2));
    fputs(dots, file);
    put_glyphs(file, text + skipped, length - skipped);
}
