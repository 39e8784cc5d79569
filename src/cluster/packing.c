#include "cluster/packing.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void st_packed_free(struct st_packed *packed) {
    free(packed->bytes);
    *packed = (struct st_packed){0};
}

void st_pack_raw(struct st_packed *packed, const void *bytes, size_t length) {
    st_reserve(&packed->bytes, &packed->capacity, packed->length + length);
    if (length)
        memcpy(packed->bytes + packed->length, bytes, length);
    packed->length += length;
}

void st_pack_number(struct st_packed *packed, uint64_t number) {
    st_pack_raw(packed, &number, sizeof number);
}

void st_pack_real(struct st_packed *packed, double number) {
    st_pack_raw(packed, &number, sizeof number);
}

void st_pack_bytes(struct st_packed *packed, const void *bytes, size_t length) {
    st_pack_number(packed, length);
    st_pack_raw(packed, bytes, length);
}

void st_pack_text(struct st_packed *packed, const char *text) {
    st_pack_number(packed, text != NULL);
    if (text)
        st_pack_bytes(packed, text, strlen(text));
}

struct st_unpacking st_unpack(const void *bytes, size_t length) {
    return (struct st_unpacking){.at = bytes, .left = length};
}

static const char *take(struct st_unpacking *from, size_t length) {
    if (from->bad || length > from->left) {
        from->bad = true;
        return NULL;
    }
    const char *at = from->at;
    from->at += length;
    from->left -= length;
    return at;
}

void st_unpack_raw(struct st_unpacking *from, void *bytes, size_t length) {
    const char *at = take(from, length);
    if (length && at)
        memcpy(bytes, at, length);
    else if (length)
        memset(bytes, 0, length);
}

uint64_t st_unpack_number(struct st_unpacking *from) {
    uint64_t number;
    st_unpack_raw(from, &number, sizeof number);
    return number;
}

double st_unpack_real(struct st_unpacking *from) {
    double number;
    st_unpack_raw(from, &number, sizeof number);
    return number;
}

const char *st_unpack_bytes(struct st_unpacking *from, size_t *length) {
    *length = st_unpack_number(from);
    const char *at = take(from, *length);
    if (!at)
        *length = 0;
    return at ? at : "";
}

char *st_unpack_text(struct st_unpacking *from) {
    size_t length;
    if (!st_unpack_number(from))
        return NULL;
    const char *at = st_unpack_bytes(from, &length);
    char *text = st_alloc(length + 1, 1);
    memcpy(text, at, length);
    return text;
}

uint64_t st_unpack_below(struct st_unpacking *from, uint64_t end) {
    uint64_t number = st_unpack_number(from);
    if (number < end)
        return number;
    from->bad = true;
    return 0;
}
