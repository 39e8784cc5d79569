#include "base/intern.h"

#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { FIRST_SLOTS = 64 };

static uint64_t hash_bytes(const void *key, size_t size) {
    return XXH3_64bits(key, size);
}

void st_intern_init(struct st_intern *intern, size_t key_size) {
    *intern = (struct st_intern){.key_size = key_size};
    st_numbers_grow(&intern->table, FIRST_SLOTS);
    st_reserve(&intern->bytes, &intern->bytes_capacity, 1); /* for empty keys to point to */
}

void st_intern_free(struct st_intern *intern) {
    st_numbers_free(&intern->table);
    free(intern->bytes);
    free(intern->ends);
    *intern = (struct st_intern){0};
}

void st_intern_clear(struct st_intern *intern) {
    if (!intern->count)
        return;
    st_numbers_clear(&intern->table, FIRST_SLOTS);
    intern->count = 0;
}

struct wanted {
    const struct st_intern *intern;
    const void *key;
    size_t size;
};

static bool is_wanted(const void *context, uint32_t number) {
    const struct wanted *wanted = context;
    return st_intern_size(wanted->intern, number) == wanted->size &&
           (!wanted->size ||
            memcmp(st_intern_key(wanted->intern, number), wanted->key, wanted->size) == 0);
}

static uint32_t find(const struct st_intern *intern, uint64_t hash, const void *key, size_t size) {
    const struct wanted wanted = {intern, key, size};
    return st_numbers_find(&intern->table, hash, is_wanted, &wanted);
}

static void store(struct st_intern *intern, const void *key, size_t size) {
    size_t at = st_intern_start(intern, intern->count);
    st_reserve(&intern->bytes, &intern->bytes_capacity, at + size);
    if (size)
        memcpy(intern->bytes + at, key, size);
    if (!intern->key_size) {
        st_reserve(&intern->ends, &intern->ends_capacity, (size_t)intern->count + 1);
        intern->ends[intern->count] = at + size;
    }
}

uint32_t st_intern_add(struct st_intern *intern, const void *key, size_t size) {
    uint64_t hash = hash_bytes(key, size);
    uint32_t known = find(intern, hash, key, size);
    if (known != ST_NUMBER_NONE)
        return known;
    if (intern->count >= ST_INTERN_NONE - 1)
        return ST_INTERN_NONE;
    store(intern, key, size);
    st_numbers_add(&intern->table, hash, intern->count);
    return intern->count++;
}

uint32_t st_intern_find(const struct st_intern *intern, const void *key, size_t size) {
    return find(intern, hash_bytes(key, size), key, size);
}
