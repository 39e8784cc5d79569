#include "base/intern.h"

#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { WIDTH = 1, FIRST_SLOTS = 64 };

/* The keys in the table are hashes, which are hashed no further. */
static uint64_t hash_of(const uint64_t *hash) {
    return *hash;
}

static uint64_t hash_bytes(const void *key, size_t size) {
    uint64_t hash = XXH3_64bits(key, size);
    return hash ? hash : 1; /* 0 is in free slots */
}

static void grow(struct st_intern *intern) {
    st_hash_grow(&intern->table, WIDTH, FIRST_SLOTS, hash_of);
}

void st_intern_init(struct st_intern *intern, size_t key_size) {
    *intern = (struct st_intern){.key_size = key_size};
    grow(intern);
    st_reserve(&intern->bytes, &intern->bytes_capacity, 1); /* for empty keys to point to */
}

void st_intern_free(struct st_intern *intern) {
    st_hash_free(&intern->table, WIDTH);
    free(intern->bytes);
    free(intern->ends);
    *intern = (struct st_intern){0};
}

void st_intern_clear(struct st_intern *intern) {
    if (!intern->count)
        return;
    st_hash_clear(&intern->table, WIDTH, FIRST_SLOTS);
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

static uint64_t *find_slot(const struct st_intern *intern, uint64_t hash, const void *key,
                           size_t size) {
    struct wanted wanted = {intern, key, size};
    return st_hash_find(&intern->table, WIDTH, &hash, hash, is_wanted, &wanted);
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
    uint64_t hash = hash_bytes(key, size), *slot = find_slot(intern, hash, key, size);
    if (slot[WIDTH])
        return (uint32_t)(slot[WIDTH] - 1);
    if (intern->count >= ST_INTERN_NONE - 1)
        return ST_INTERN_NONE;
    store(intern, key, size);
    if (st_hash_is_full(&intern->table)) {
        grow(intern);
        slot = find_slot(intern, hash, key, size);
    }
    st_hash_enter(&intern->table, WIDTH, slot, &hash, intern->count);
    return intern->count++;
}

uint32_t st_intern_find(const struct st_intern *intern, const void *key, size_t size) {
    const uint64_t *slot = find_slot(intern, hash_bytes(key, size), key, size);
    return slot[WIDTH] ? (uint32_t)(slot[WIDTH] - 1) : ST_INTERN_NONE;
}
