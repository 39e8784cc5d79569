/* A hash table from keys to numbers that does not have the keys: whoever uses it has them, by
 * number, and compares. A slot takes one word, so that tables of many millions stay small.
 *
 * hash_table.h is for keys of one or two words, which it stores. */
#ifndef SERIATIM_BASE_NUMBER_TABLE_H
#define SERIATIM_BASE_NUMBER_TABLE_H

#include "base/memory.h"

#include <stdint.h>
#include <string.h>

/* Invariants: a slot is 0, or 32 bits of a hash and, below them, a number plus 1; slot_count is a
 * power of two and at least 3/2 of `used`, so that a search ends. All zero has no slots: it must
 * grow before anything is looked up. */
struct st_number_table {
    uint64_t *slots;
    size_t slot_count, used;
};

#define ST_NUMBER_NONE UINT32_MAX

/* Is the key with this number the one that is looked for? */
typedef bool st_number_same(const void *wanted, uint32_t number);

static inline void st_numbers_free(struct st_number_table *table) {
    st_free_table(table->slots, table->slot_count, sizeof *table->slots);
    *table = (struct st_number_table){0};
}

static inline uint64_t *st_numbers_slot(const struct st_number_table *table, uint64_t place) {
    return &table->slots[place & (table->slot_count - 1)];
}

/* Doubles the slots, or makes the first ones. */
static inline void st_numbers_grow(struct st_number_table *table, size_t first) {
    struct st_number_table old = *table;
    table->slot_count = old.slot_count ? 2 * old.slot_count : first;
    table->slots = st_alloc_table(table->slot_count, sizeof *table->slots);
    for (size_t i = 0; i < old.slot_count; i++) {
        uint64_t place = old.slots[i] >> 32;
        if (!old.slots[i])
            continue;
        while (*st_numbers_slot(table, place))
            place++;
        *st_numbers_slot(table, place) = old.slots[i];
    }
    st_free_table(old.slots, old.slot_count, sizeof *old.slots);
}

/* Empties the table. One that has more than `least` slots shrinks to that, so that a table that was
 * large once is not cleared in full each time. */
static inline void st_numbers_clear(struct st_number_table *table, size_t least) {
    if (table->slot_count > least) {
        st_numbers_free(table);
        st_numbers_grow(table, least);
    } else if (table->used) {
        memset(table->slots, 0, table->slot_count * sizeof *table->slots);
    }
    table->used = 0;
}

/* The number of the key, or ST_NUMBER_NONE. */
static inline __attribute__((always_inline)) uint32_t
st_numbers_find(const struct st_number_table *table, uint64_t hash, st_number_same *same,
                const void *wanted) {
    uint64_t upper = hash >> 32, place = upper, slot;
    for (; (slot = *st_numbers_slot(table, place)); place++)
        if (slot >> 32 == upper && same(wanted, (uint32_t)slot - 1))
            return (uint32_t)slot - 1;
    return ST_NUMBER_NONE;
}

/* Adds a key that is not there. The number is less than ST_NUMBER_NONE. */
static inline void st_numbers_add(struct st_number_table *table, uint64_t hash, uint32_t number) {
    uint64_t place = hash >> 32;
    if (table->used + table->used / 2 >= table->slot_count)
        st_numbers_grow(table, 0);
    while (*st_numbers_slot(table, place))
        place++;
    *st_numbers_slot(table, place) = hash >> 32 << 32 | ((uint64_t)number + 1);
    table->used++;
}

#endif
