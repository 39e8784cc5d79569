/* What stands at the front of bytes that are being taken apart. */
#ifndef SERIATIM_TRACE_NATIVE_NATIVE_CURSOR_H
#define SERIATIM_TRACE_NATIVE_NATIVE_CURSOR_H

#include <stddef.h>
#include <stdint.h>

struct native_cursor {
    const unsigned char *next;
    size_t left;
};

/* The next `size` bytes of the body, or an empty cursor with NULL when it has fewer. */
static inline struct native_cursor native_cut_off(struct native_cursor *body, uint64_t size) {
    struct native_cursor part = {NULL, 0};
    if (size > body->left)
        return part;
    part.next = body->next;
    part.left = (size_t)size;
    body->next += size;
    body->left -= (size_t)size;
    return part;
}

#endif
