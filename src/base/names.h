/* Names as numbers: each distinct text gets the next number, starting from 0.
 *
 * A trace of a billion lines asks for a name on every line, so look-up is split in two: making the
 * key (hash, and for texts of up to 15 bytes the text itself) and finding it. Between the two a
 * reader can prefetch the slot and go on with its next lines.
 *
 * Most names of a trace are a short text and a number, such as x17 or bank.c:42. These are found
 * in series, one for each such text: arrays by the number. An entry takes 4 bytes where a slot
 * takes 24 and half of the slots are free, so that a reader misses the cache far less often. */
#ifndef SERIATIM_BASE_NAMES_H
#define SERIATIM_BASE_NAMES_H

#include "base/hash_table.h"

/* The names PREFIX0, PREFIX1, ... of a prefix of up to 16 bytes (zeros behind it): the number of
 * PREFIXn is entries[n] - 1; 0: there is none. All zero is a series that is free. */
struct st_series {
    uint64_t low, high;
    uint32_t *entries;
    size_t capacity;
};

enum { ST_SERIES_BITS = 4, ST_SERIES_COUNT = 1 << ST_SERIES_BITS };

/* Invariants: the text of name i is text[offset[i - first]] up to a zero byte, and offset[count -
 * first] is where the next one will go; the names below `first` have no text any more; each of the
 * first `indexed` names, apart from those, is in its series if that has room for it, and otherwise
 * has a slot in the table. */
struct st_names {
    struct st_hash_table table;
    struct st_series series[ST_SERIES_COUNT];
    size_t series_room; /* the sum of their capacities */
    char *text;
    size_t text_capacity;
    uint64_t *offset;
    size_t offset_capacity;
    uint32_t first, count, indexed; /* first <= indexed <= count, or first is 0 */
};

enum { ST_NAME_WIDTH = 2 }; /* words of a key */

/* Texts of up to 15 bytes are their own key: bytes in `low` and `high`, length + 1 on top of
 * `high`. Longer ones have a hash in `low`, 0xff on top of `high`, and are compared in full. So
 * `high` is never 0, and a key differs from the words of a free slot. */
struct st_name_key {
    uint64_t low, high, hash;
    const char *text;
    size_t length;
};

void st_names_init(struct st_names *names);
void st_names_free(struct st_names *names);

/* The text must stay in place until the key was used. It must not contain a zero byte. */
struct st_name_key st_name_key(const char *text, size_t length);

enum { ST_SHORT_NAME = 15 };

static inline uint64_t st_name_hash(uint64_t low, uint64_t high) {
    uint64_t h = (low ^ (high << 29 | high >> 35)) * UINT64_C(0x9E3779B97F4A7C15);
    h ^= h >> 32;
    h = (h ^ high) * UINT64_C(0xD6E8FEB86659FD93);
    return h ^ h >> 32;
}

/* The same for a text that has 16 readable bytes behind its first, whatever its length: it needs
 * no copy, which the text reader would make for every line. Little-endian machines only. */
static inline struct st_name_key st_name_key_padded(const char *text, size_t length) {
    if (__builtin_expect(length > ST_SHORT_NAME, 0))
        return st_name_key(text, length);
    struct st_name_key key = {.text = text, .length = length};
    memcpy(&key.low, text, 8);
    if (length <= 8) {
        key.low = length ? key.low & UINT64_MAX >> (64 - 8 * length) : 0;
    } else {
        memcpy(&key.high, text + 8, 8);
        key.high &= UINT64_MAX >> (128 - 8 * length);
    }
    key.high |= (uint64_t)(length + 1) << 56;
    key.hash = st_name_hash(key.low, key.high);
    return key;
}

/* The place of the series with this prefix. Another one may be there. */
static inline struct st_series *st_names_series(struct st_names *names, uint64_t low,
                                                uint64_t high) {
    uint64_t hash = (low ^ high * UINT64_C(0xD6E8FEB86659FD93)) * UINT64_C(0x9E3779B97F4A7C15);
    return &names->series[hash >> (64 - ST_SERIES_BITS)];
}

/* The number of the name, new or known. At most UINT32_MAX - 1 names; beyond that, ST_NAMES_FULL.
 */
uint32_t st_names_number_slow(struct st_names *names, const struct st_name_key *key);
uint32_t st_names_add(struct st_names *names, const char *text, size_t length);

/* Adds a name that is known to be new. It gets its slot when st_names_add or st_names_index is next
 * called, which for the variables of a long trace is never: ten million slots are a quarter of a
 * gigabyte. */
uint32_t st_names_append(struct st_names *names, const char *text, size_t length);
void st_names_index(struct st_names *names);
#define ST_NAMES_FULL UINT32_MAX

/* Gives a name that was appended, and not dropped, another text. */
void st_names_replace(struct st_names *names, uint32_t number, const char *text, size_t length);

/* Drops the texts of the names below `first`, of a table in which nothing is looked up. Their
 * numbers stay. */
void st_names_drop(struct st_names *names, uint32_t first);

/* Adds numbers without texts, to a table that has no others. */
void st_names_skip(struct st_names *names, uint32_t count);

/* The number of a known name that has its slot, or ST_NAMES_FULL. */
uint32_t st_names_find(const struct st_names *names, const char *text, size_t length);

static inline uint32_t st_names_number(struct st_names *names, const struct st_name_key *key) {
    const uint64_t *slot = st_hash_slot(&names->table, ST_NAME_WIDTH, key->hash);
    if (slot[0] == key->low && slot[1] == key->high && key->length <= ST_SHORT_NAME)
        return (uint32_t)slot[ST_NAME_WIDTH] - 1;
    return st_names_number_slow(names, key);
}

static inline void st_names_prefetch(const struct st_names *names, uint64_t hash) {
    __builtin_prefetch(st_hash_slot(&names->table, ST_NAME_WIDTH, hash));
}

/* Valid until the next name is added. `number` must be below count, and not below `first`. */
static inline const char *st_name(const struct st_names *names, uint32_t number) {
    return names->text + names->offset[number - names->first];
}

static inline size_t st_name_length(const struct st_names *names, uint32_t number) {
    const uint64_t *offset = names->offset + (number - names->first);
    return (size_t)(offset[1] - offset[0] - 1);
}

#endif
