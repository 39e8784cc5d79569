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
    for (size_t i = 0; i < ST_SERIES_COUNT; i++)
        st_free_table(names->series[i].entries, names->series[i].capacity, sizeof(uint32_t));
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

/* ---- series ---- */

/* Entries that a table may have: so many, and so many more for each of its names, since numbers can
 * be far apart; but never more than the last, which is enough for ten million variables. */
enum { FREE_ENTRIES = 1 << 16, ENTRIES_FOR_A_NAME = 256, MOST_ENTRIES = 1 << 25 };
enum { FIRST_ENTRIES = 256, LONGEST_PREFIX = 16, MOST_DIGITS = 8 };

/* A name as a prefix and a number, which has no leading zero and at most 8 digits. */
struct series_name {
    uint64_t low, high;
    uint32_t number;
};

static bool split_name(const struct st_name_key *key, struct series_name *name) {
    size_t start = key->length;
    while (start && (unsigned char)(key->text[start - 1] - '0') < 10)
        start--;
    size_t digits = key->length - start;
    if (!digits || digits > MOST_DIGITS || start > LONGEST_PREFIX ||
        (digits > 1 && key->text[start] == '0'))
        return false;
    char prefix[LONGEST_PREFIX] = {0};
    memcpy(prefix, key->text, start);
    memcpy(&name->low, prefix, 8);
    memcpy(&name->high, prefix + 8, 8);
    name->number = 0;
    for (size_t i = start; i < key->length; i++)
        name->number = 10 * name->number + (uint32_t)(key->text[i] - '0');
    return true;
}

static bool has_room(const struct st_names *names, size_t entries) {
    return entries <= FREE_ENTRIES + ENTRIES_FOR_A_NAME * (size_t)names->count &&
           entries <= MOST_ENTRIES;
}

/* The series has grown: names that it had no room for may belong there now. */
static void fill_series(const struct st_names *names, struct st_series *series) {
    for (uint32_t i = names->first; i < names->indexed; i++) {
        struct st_name_key key = {.text = st_name(names, i), .length = st_name_length(names, i)};
        struct series_name name;
        if (split_name(&key, &name) && name.low == series->low && name.high == series->high &&
            name.number < series->capacity && !series->entries[name.number])
            series->entries[name.number] = i + 1;
    }
}

/* The entry of the name, or NULL: a series has no room for it, not now. */
static uint32_t *make_entry(struct st_names *names, const struct st_name_key *key) {
    struct series_name name;
    if (!split_name(key, &name))
        return NULL;
    struct st_series *series = st_names_series(names, name.low, name.high);
    if (series->capacity && (series->low != name.low || series->high != name.high))
        return NULL;
    size_t capacity = series->capacity ? series->capacity : FIRST_ENTRIES;
    while (capacity <= name.number)
        capacity *= 2;
    if (capacity > series->capacity) {
        size_t room = names->series_room + capacity - series->capacity;
        if (!has_room(names, room))
            return NULL;
        st_reserve_table(&series->entries, &series->capacity, capacity);
        names->series_room = room;
        series->low = name.low;
        series->high = name.high;
        fill_series(names, series);
    }
    return &series->entries[name.number];
}

/* The number of the name plus 1 if it is in a series, otherwise 0. */
static uint32_t find_entry(const struct st_names *names, const struct st_name_key *key) {
    struct series_name name;
    if (!split_name(key, &name))
        return 0;
    const struct st_series *series = st_names_series((struct st_names *)names, name.low, name.high);
    bool there = series->low == name.low && series->high == name.high;
    return there && name.number < series->capacity ? series->entries[name.number] : 0;
}

/* ---- adding names ---- */

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

void st_names_replace(struct st_names *names, uint32_t number, const char *text, size_t length) {
    size_t index = number - names->first, held = names->count - names->first;
    uint64_t at = names->offset[index], next = names->offset[index + 1], end = names->offset[held];
    st_reserve(&names->text, &names->text_capacity, end + length + 1);
    memmove(names->text + at + length + 1, names->text + next, end - next);
    memcpy(names->text + at, text, length);
    names->text[at + length] = '\0';
    for (size_t i = index + 1; i <= held; i++)
        names->offset[i] = names->offset[i] - next + at + length + 1;
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

/* The number of the name plus 1, or 0: then it belongs to *entry, or to *slot if that is NULL. */
static uint32_t look_for(struct st_names *names, const struct st_name_key *key, uint32_t **entry,
                         uint64_t **slot) {
    *entry = make_entry(names, key);
    *slot = *entry ? NULL : find_slot(names, key);
    return *entry ? **entry : (uint32_t)(*slot)[ST_NAME_WIDTH];
}

/* Enters the next name that look_for does not find. */
static void enter(struct st_names *names, const struct st_name_key *key, uint32_t *entry,
                  uint64_t *slot) {
    if (entry) {
        *entry = ++names->indexed;
        return;
    }
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
        uint32_t *entry;
        uint64_t *slot;
        if (look_for(names, &key, &entry, &slot))
            names->indexed++; /* was not new after all: look-ups find the first */
        else
            enter(names, &key, entry, slot);
    }
}

uint32_t st_names_number_slow(struct st_names *names, const struct st_name_key *key) {
    st_names_index(names);
    uint32_t *entry;
    uint64_t *slot;
    uint32_t found = look_for(names, key, &entry, &slot);
    if (found)
        return found - 1;
    uint32_t number = st_names_append(names, key->text, key->length);
    if (number != ST_NAMES_FULL)
        enter(names, key, entry, slot);
    return number;
}

uint32_t st_names_add(struct st_names *names, const char *text, size_t length) {
    struct st_name_key key = st_name_key(text, length);
    return st_names_number_slow(names, &key);
}

uint32_t st_names_find(const struct st_names *names, const char *text, size_t length) {
    struct st_name_key key = st_name_key(text, length);
    uint32_t entry = find_entry(names, &key);
    uint32_t found = entry ? entry : (uint32_t)find_slot(names, &key)[ST_NAME_WIDTH];
    return found ? found - 1 : ST_NAMES_FULL;
}
