#include "base/names.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

void st_names_init(struct st_names *names) {
    memset(names, 0, sizeof *names);
    names->slot_count = 64;
    names->slots = st_alloc_table(names->slot_count, sizeof *names->slots);
    st_reserve(&names->offset, &names->offset_capacity, 1);
}

void st_names_free(struct st_names *names) {
    st_free_table(names->slots, names->slot_count, sizeof *names->slots);
    free(names->text);
    free(names->offset);
    memset(names, 0, sizeof *names);
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

static int same_long_name(const struct st_names *names, uint32_t number,
                          const struct st_name_key *key) {
    return st_name_length(names, number) == key->length &&
           memcmp(st_name(names, number), key->text, key->length) == 0;
}

/* The slot that holds the key, or the free slot where it belongs. */
static struct st_name_slot *find_slot(const struct st_names *names, const struct st_name_key *key) {
    size_t mask = names->slot_count - 1;
    for (size_t i = key->hash & mask;; i = (i + 1) & mask) {
        struct st_name_slot *slot = &names->slots[i];
        if (slot->low == key->low && slot->high == key->high &&
            (key->length <= ST_SHORT_NAME || same_long_name(names, slot->number, key)))
            return slot;
        if (!slot->high)
            return slot;
    }
}

static void double_slots(struct st_names *names) {
    struct st_name_slot *old = names->slots;
    size_t old_count = names->slot_count;
    names->slot_count *= 2;
    names->slots = st_alloc_table(names->slot_count, sizeof *names->slots);
    size_t mask = names->slot_count - 1;
    for (size_t i = 0; i < old_count; i++) {
        if (!old[i].high)
            continue;
        uint64_t hash =
            old[i].high >> 56 == 0xff ? old[i].low : st_name_hash(old[i].low, old[i].high);
        size_t j = hash & mask;
        while (names->slots[j].high)
            j = (j + 1) & mask;
        names->slots[j] = old[i];
    }
    st_free_table(old, old_count, sizeof *old);
}

uint32_t st_names_append(struct st_names *names, const char *text, size_t length) {
    if (names->count >= ST_NAMES_FULL - 1)
        return ST_NAMES_FULL;
    uint64_t at = names->offset[names->count];
    st_reserve(&names->text, &names->text_capacity, at + length + 1);
    memcpy(names->text + at, text, length);
    names->text[at + length] = '\0';
    names->count++;
    st_reserve(&names->offset, &names->offset_capacity, (size_t)names->count + 1);
    names->offset[names->count] = at + length + 1;
    return names->count - 1;
}

/* Gives the next name that has no slot the one that was found for it. */
static void enter(struct st_names *names, const struct st_name_key *key,
                  struct st_name_slot *slot) {
    if (names->indexed + names->indexed / 2 >= names->slot_count) {
        double_slots(names);
        slot = find_slot(names, key);
    }
    *slot = (struct st_name_slot){key->low, key->high, names->indexed++};
}

void st_names_index(struct st_names *names) {
    while (names->indexed < names->count) {
        uint32_t next = names->indexed;
        struct st_name_key key = st_name_key(st_name(names, next), st_name_length(names, next));
        struct st_name_slot *slot = find_slot(names, &key);
        if (slot->high)
            names->indexed++; /* was not new after all: look-ups find the first */
        else
            enter(names, &key, slot);
    }
}

uint32_t st_names_number_slow(struct st_names *names, const struct st_name_key *key) {
    st_names_index(names);
    struct st_name_slot *slot = find_slot(names, key);
    if (slot->high)
        return slot->number;
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
    const struct st_name_slot *slot = find_slot(names, &key);
    return slot->high ? slot->number : ST_NAMES_FULL;
}

size_t st_names_memory(const struct st_names *names) {
    return names->slot_count * sizeof *names->slots + names->text_capacity +
           names->offset_capacity * sizeof *names->offset;
}
