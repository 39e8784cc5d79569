/* Bytes as numbers: each distinct key gets the next number, starting from 0. Keys are structures or
 * arrays of them, compared byte by byte: a structure must have no padding, or must be cleared
 * before it is filled in.
 *
 * For texts see names.h, for single 64-bit ids map64.h. */
#ifndef SERIATIM_BASE_INTERN_H
#define SERIATIM_BASE_INTERN_H

#include "base/number_table.h"

/* Invariants: key i is bytes[i * key_size], or if key_size is 0, bytes[ends[i - 1]] up to
 * bytes[ends[i]]; the table has every number. */
struct st_intern {
    struct st_number_table table;
    char *bytes;
    size_t bytes_capacity;
    size_t *ends;
    size_t ends_capacity;
    size_t key_size;
    uint32_t count;
};

#define ST_INTERN_NONE UINT32_MAX

/* All keys have this size, or if it is 0, sizes of their own. */
void st_intern_init(struct st_intern *intern, size_t key_size);
void st_intern_free(struct st_intern *intern);

/* Forgets all keys: the next one gets number 0. */
void st_intern_clear(struct st_intern *intern);

/* The number of the key, new or known; it is new if the number is what `count` was before. The key
 * is copied; it must not be a part of another in the table. At most UINT32_MAX - 1 keys; beyond
 * that, ST_INTERN_NONE. */
uint32_t st_intern_add(struct st_intern *intern, const void *key, size_t size);

/* The number of a known key, or ST_INTERN_NONE. */
uint32_t st_intern_find(const struct st_intern *intern, const void *key, size_t size);

static inline size_t st_intern_start(const struct st_intern *intern, uint32_t number) {
    return intern->key_size ? number * intern->key_size : number ? intern->ends[number - 1] : 0;
}

/* The key with that number, valid until the next one is added. It is aligned for a type if the
 * sizes of all keys are multiples of that of the type. */
static inline const void *st_intern_key(const struct st_intern *intern, uint32_t number) {
    return intern->bytes + st_intern_start(intern, number);
}

static inline size_t st_intern_size(const struct st_intern *intern, uint32_t number) {
    return intern->key_size ? intern->key_size
                            : intern->ends[number] - st_intern_start(intern, number);
}

#endif
