#include "trace/native/native_columns.h"

#include <string.h>

const char *native_column_take(struct native_column *column, const unsigned char *head,
                               unsigned widest, struct native_cursor *body) {
    if (head[0] >= ENCODING_COUNT || head[1] > widest || head[2] || head[3])
        return "a column has an unknown encoding";
    column->encoding = head[0];
    column->width = head[1];
    column->count = get_u32(head + 4);
    column->base = get_u64(head + 8);
    column->taken = 0;
    struct native_cursor planes = native_take_bytes(body, (uint64_t)column->count * column->width);
    if (!planes.next)
        return "a column is longer than the chunk";
    column->planes = planes.next;
    return NULL;
}

static inline __attribute__((always_inline)) uint64_t stored_value(const unsigned char *plane,
                                                                   size_t count, unsigned width) {
    uint64_t value = 0;
    for (unsigned k = 0; k < width; k++)
        value |= (uint64_t)plane[k * count] << 8 * k;
    return value;
}

/* With a constant width this becomes vector code. */
static inline __attribute__((always_inline)) void join_width(const struct native_column *column,
                                                             unsigned width,
                                                             uint32_t *restrict stored, size_t n) {
    const unsigned char *restrict plane = column->planes + column->taken;
    size_t count = column->count;
    for (size_t i = 0; i < n; i++)
        stored[i] = (uint32_t)stored_value(plane + i, count, width);
}

/* Joins the planes of the next n values of a column that is at most 4 bytes wide. */
static void join_planes(const struct native_column *column, uint32_t *stored, size_t n) {
    switch (column->width) {
    case 0:
        memset(stored, 0, n * sizeof *stored);
        break;
    case 1:
        join_width(column, 1, stored, n);
        break;
    case 2:
        join_width(column, 2, stored, n);
        break;
    case 3:
        join_width(column, 3, stored, n);
        break;
    default:
        join_width(column, 4, stored, n);
    }
}

static inline uint64_t unzigzag(uint64_t stored) {
    return stored >> 1 ^ -(stored & 1);
}

static bool add_base(const struct native_column *column, uint32_t *restrict values, size_t n,
                     uint64_t limit) {
    uint32_t base = (uint32_t)column->base, most = 0;
    for (size_t i = 0; i < n; i++) {
        most = values[i] > most ? values[i] : most;
        values[i] += base;
    }
    return column->base < limit && most < limit - column->base;
}

static bool add_up(struct native_column *column, uint32_t *restrict values, size_t n,
                   uint64_t limit) {
    uint64_t value = column->base, most = 0;
    for (size_t i = 0; i < n; i++) {
        value += unzigzag(values[i]);
        values[i] = (uint32_t)value;
        most = value > most ? value : most;
    }
    column->base = value;
    return most < limit;
}

bool native_column_decode(struct native_column *column, uint32_t *values, size_t n,
                          uint64_t limit) {
    if (n == 0)
        return true;
    if (n > column->count - column->taken)
        return false;
    join_planes(column, values, n);
    bool good = column->encoding == ENCODING_PLAIN ? add_base(column, values, n, limit)
                                                   : add_up(column, values, n, limit);
    column->taken += (uint32_t)n;
    return good;
}

void native_column_decode_wide(struct native_column *column, uint64_t *restrict values, size_t n) {
    uint32_t stored[NATIVE_STRIP];
    if (column->width <= 4) {
        join_planes(column, stored, n);
        for (size_t i = 0; i < n; i++)
            values[i] = stored[i];
    } else {
        const unsigned char *plane = column->planes + column->taken;
        for (size_t i = 0; i < n; i++)
            values[i] = stored_value(plane + i, column->count, column->width);
    }
    uint64_t value = column->base;
    if (column->encoding == ENCODING_PLAIN) {
        for (size_t i = 0; i < n; i++)
            values[i] += value;
    } else {
        for (size_t i = 0; i < n; i++)
            values[i] = value += unzigzag(values[i]);
        column->base = value;
    }
    column->taken += (uint32_t)n;
}
