#include "base/names.h"

#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { FIRST_SLOTS = 64 };

static inline uint64_t hash_of(const uint64_t *key) {
    return key[1] >> 56 == 0xff ? key[0] : st_name_hash(key[0], key[1]);
}

static void grow(struct st_names *names) {
    st_hash_grow(&names->table, ST_NAME_WIDTH, FIRST_SLOTS, hash_of);
}

void st_names_init(struct st_names *names) {
    *names = (struct st_names){.count = 0};
    grow(names);
    st_reserve(&names->offset, &names->offset_capacity, 1);
}

void st_names_free(struct st_names *names) {
    st_hash_free(&names->table, ST_NAME_WIDTH);
    free(names->text);
    free(names->offset);
    *names = (struct st_names){.count = 0};
}

struct st_name_key st_name_key(const char *text, size_t length) {
    struct st_name_key key = {.text = text, .length = length};
    if (length <= ST_SHORT_NAME) {
        char bytes[16] = {0};
        memcpy(bytes, text, length);
        memcpy(&key.low, bytes, 8);
        memcpy(&key.high, bytes + 8, 8);
        key.high |= (uint64_t)(length + 1) << 56;
        key.hash = st_name_hash(key.low, key.high);
    } else {
        key.low = key.hash = XXH3_64bits(text, length);
        key.high = UINT64_C(0xff) << 56 | (length & 0xffffffff);
    }
    return key;
}

struct wanted {
    const struct st_names *names;
    const struct st_name_key *key;
};

static inline bool is_wanted(const void *context, uint32_t number) {
    const struct wanted *wanted = context;
    return st_name_length(wanted->names, number) == wanted->key->length &&
           memcmp(st_name(wanted->names, number), wanted->key->text, wanted->key->length) == 0;
}

/* Out of line, so that the rest makes no call and saves no registers: every third line of a text
 * gets there. */
static __attribute__((noinline)) uint64_t *find_long(const struct st_names *names,
                                                     const struct st_name_key *key) {
    struct wanted wanted = {names, key};
    uint64_t words[ST_NAME_WIDTH] = {key->low, key->high};
    return st_hash_find(&names->table, ST_NAME_WIDTH, words, key->hash, is_wanted, &wanted);
}

static uint64_t *find_slot(const struct st_names *names, const struct st_name_key *key) {
    if (key->length > ST_SHORT_NAME)
        return find_long(names, key);
    uint64_t words[ST_NAME_WIDTH] = {key->low, key->high};
    return st_hash_find(&names->table, ST_NAME_WIDTH, words, key->hash, NULL, NULL);
}

uint32_t st_names_append(struct st_names *names, const char *text, size_t length) {
    if (names->count >= ST_NAMES_FULL - 1)
        return ST_NAMES_FULL;
    uint64_t at = names->offset[names->count - names->first];
    st_reserve(&names->text, &names->text_capacity, at + length + 1);
    memcpy(names->text + at, text, length);
    names->text[at + length] = '\0';
    names->count++;
    size_t held = names->count - names->first;
    st_reserve(&names->offset, &names->offset_capacity, held + 1);
    names->offset[held] = at + length + 1;
    return names->count - 1;
}

void st_names_drop(struct st_names *names, uint32_t first) {
    if (first <= names->first)
        return;
    size_t dropped = first - names->first, held = names->count - first;
    uint64_t bytes = names->offset[dropped];
    memmove(names->text, names->text + bytes, names->offset[dropped + held] - bytes);
    for (size_t i = 0; i <= held; i++)
        names->offset[i] = names->offset[dropped + i] - bytes;
    names->first = first;
    if (names->indexed < first)
        names->indexed = first;
}

void st_names_skip(struct st_names *names, uint32_t count) {
    names->first = names->indexed = names->count += count;
}

/* Gives the next name that has no slot the one that was found for it. */
static void enter(struct st_names *names, const struct st_name_key *key, uint64_t *slot) {
    if (st_hash_is_full(&names->table)) {
        grow(names);
        slot = find_slot(names, key);
    }
    uint64_t words[ST_NAME_WIDTH] = {key->low, key->high};
    st_hash_enter(&names->table, ST_NAME_WIDTH, slot, words, names->indexed++);
}

void st_names_index(struct st_names *names) {
    while (names->indexed < names->count) {
        uint32_t next = names->indexed;
        struct st_name_key key = st_name_key(st_name(names, next), st_name_length(names, next));
        uint64_t *slot = find_slot(names, &key);
        if (slot[ST_NAME_WIDTH])
            names->indexed++; /* was not new after all: look-ups find the first */
        else
            enter(names, &key, slot);
    }
}

uint32_t st_names_number_slow(struct st_names *names, const struct st_name_key *key) {
    st_names_index(names);
    uint64_t *slot = find_slot(names, key);
    if (slot[ST_NAME_WIDTH])
        return (uint32_t)slot[ST_NAME_WIDTH] - 1;
    uint32_t number = st_names_append(names, key->text, key->length);
    if (number != ST_NAMES_FULL)
        enter(names, key, slot);
    return number;
}

uint32_t st_names_add(struct st_names *names, const char *text, size_t length) {
    struct st_name_key key = st_name_key(text, length);
    return st_names_number(names, &key);
}

uint32_t st_names_find(const struct st_names *names, const char *text, size_t length) {
    struct st_name_key key = st_name_key(text, length);
    const uint64_t *slot = find_slot(names, &key);
    return slot[ST_NAME_WIDTH] ? (uint32_t)slot[ST_NAME_WIDTH] - 1 : ST_NAMES_FULL;
}
