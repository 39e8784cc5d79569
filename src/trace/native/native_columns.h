/* The columns of numbers in an EVNT chunk. */
#ifndef SERIATIM_TRACE_NATIVE_NATIVE_COLUMNS_H
#define SERIATIM_TRACE_NATIVE_NATIVE_COLUMNS_H

#include "trace/native/native_format.h"

/* The bytes that are still to be read. */
struct native_cursor {
    const unsigned char *next;
    size_t left;
};

/* Takes the next `size` bytes off the body; an empty cursor with NULL when it has fewer. */
static inline struct native_cursor native_take_bytes(struct native_cursor *body, uint64_t size) {
    struct native_cursor part = {NULL, 0};
    if (size > body->left)
        return part;
    part.next = body->next;
    part.left = (size_t)size;
    body->next += size;
    body->left -= (size_t)size;
    return part;
}

/* So many values are decoded at a time, so that what is made of them stays in the first-level
 * cache: the decoded columns of so many events take some 16 KiB. */
enum { NATIVE_STRIP = 512 };

/* A column while it is being read. Invariant: plane k of value i is at planes[k * count + i], and
 * the values below `taken` have been decoded; `base` is value[taken - 1] in delta encoding. */
struct native_column {
    enum column_encoding encoding;
    unsigned width;
    uint32_t count, taken;
    uint64_t base;
    const unsigned char *planes;
};

/* Takes the column with this head, whose values are at most `widest` bytes each, off the body.
 * NULL, or what is wrong with it. */
const char *native_column_take(struct native_column *column, const unsigned char *head,
                               unsigned widest, struct native_cursor *body);

/* Decodes the next n values of the column. Returns whether they exist and are below limit, which
 * is found from the largest of them: a branch for each value would cost more than the rest. */
bool native_column_decode(struct native_column *column, uint32_t *values, size_t n, uint64_t limit);

/* The same for NATIVE_STRIP values at most, which exist and may be wider than four bytes. */
void native_column_decode_wide(struct native_column *column, uint64_t *values, size_t n);

#endif
